#include "passes/lowering/drop_roundings.h"

#include <string>
#include <utility>

#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "ir/graph/pass_context.h"
#include "ir/model/model_graph.h"
#include "passes/registry/rewrite_passes.h"
#include "tests/testing/ir.h"
#include "tests/testing/run_pass.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

void ExpectDropped(absl::string_view before, absl::string_view after) {
  ExpectRewrite(DropRoundingsPass(), before, after);
}

void ExpectKept(absl::string_view text, absl::string_view reason) {
  ExpectUntouched(DropRoundingsPass(), text, reason);
}

TEST(DropRoundingsTest, LetsLayersGiveFloats) {
  for (const auto& [op, layer] :
       {std::pair("linear", "Linear"), std::pair("linear_relu", "Linear"),
        std::pair("conv1d", "Conv"), std::pair("conv2d_relu", "Conv"),
        std::pair("conv3d", "Conv"), std::pair("conv_transpose2d", "Conv")}) {
    const auto with_names = [&, op = op, layer = layer](const char* text) {
      return absl::StrReplaceAll(text, {{"OP", op}, {"LAYER", layer}});
    };
    SCOPED_TRACE(op);
    ExpectDropped(with_names(R"IR(
graph(%x : Tensor, %layer : __torch__.torch.classes.ns.FbgemmLAYER, %scale : float, %zero_point : int):
  %q : Tensor = ns::fbgemm_OP(%x, %layer, %scale, %zero_point)
  %d : Tensor = ns::fbgemm_dequantize(%q)
  return (%d))IR"),
                  with_names(R"IR(
graph(%x : Tensor, %layer : __torch__.torch.classes.ns.FbgemmLAYER, %scale : float, %zero_point : int):
  %d : Tensor = ns::fbgemm_OP_float(%x, %layer)
  return (%d))IR"));
  }
}

TEST(DropRoundingsTest, ComputesOtherOpsInFloat) {
  ExpectDropped(R"IR(
graph(%x : Tensor, %y : Tensor, %scale : float, %zero_point : int):
  %q : Tensor = ns::fbgemm_mul(%x, %y, %scale, %zero_point)
  %d : Tensor = ns::fbgemm_dequantize(%q)
  return (%d, %x, %y))IR",
                R"IR(
graph(%x : Tensor, %y : Tensor, %scale : float, %zero_point : int):
  %a : Tensor = ns::fbgemm_dequantize(%x)
  %b : Tensor = ns::fbgemm_dequantize(%y)
  %d : Tensor = aten::mul(%a, %b)
  return (%d, %x, %y))IR");
}

TEST(DropRoundingsTest, DropsRoundingsBeforeWhatItComputesInFloat) {
  ExpectDropped(R"IR(
graph(%x : Tensor, %layer : __torch__.torch.classes.ns.FbgemmLinear, %scale : float, %zero_point : int):
  %y : Tensor = ns::fbgemm_linear(%x, %layer, %scale, %zero_point)
  %z : Tensor = ns::fbgemm_silu(%y, %scale, %zero_point)
  %q : Tensor = ns::fbgemm_add_relu(%z, %x, %scale, %zero_point)
  %d : Tensor = ns::fbgemm_dequantize(%q)
  return (%d))IR",
                R"IR(
graph(%x : Tensor, %layer : __torch__.torch.classes.ns.FbgemmLinear, %scale : float, %zero_point : int):
  %y : Tensor = ns::fbgemm_linear_float(%x, %layer)
  %z : Tensor = aten::silu(%y)
  %b : Tensor = ns::fbgemm_dequantize(%x)
  %one : int = prim::Constant[value=1]()
  %s : Tensor = aten::add(%z, %b, %one)
  %d : Tensor = aten::relu(%s)
  return (%d))IR");
}

// Floats are added without a fused op.
TEST(DropRoundingsTest, FusesSumsWhoseOutputIsQuantized) {
  ExpectDropped(R"IR(
graph(%x : Tensor, %layer : __torch__.torch.classes.ns.FbgemmLinear, %scale : float, %zero_point : int):
  %y : Tensor = ns::fbgemm_linear(%x, %layer, %scale, %zero_point)
  %s : Tensor = ns::fbgemm_add_relu(%y, %x, %scale, %zero_point)
  return (%s))IR",
                R"IR(
graph(%x : Tensor, %layer : __torch__.torch.classes.ns.FbgemmLinear, %scale : float, %zero_point : int):
  %s : Tensor = ns::fbgemm_linear_add_relu(%x, %layer, %x, %scale, %zero_point)
  return (%s))IR");
}

TEST(DropRoundingsTest, KeepsTheBoundsOfClamps) {
  ExpectDropped(R"IR(
graph(%x : Tensor, %layer : __torch__.torch.classes.ns.FbgemmConv, %scale : float, %zero_point : int, %min : float, %max : float):
  %q : Tensor = ns::fbgemm_conv2d_clamp(%x, %layer, %scale, %zero_point, %min, %max)
  %d : Tensor = ns::fbgemm_dequantize(%q)
  return (%d))IR",
                R"IR(
graph(%x : Tensor, %layer : __torch__.torch.classes.ns.FbgemmConv, %scale : float, %zero_point : int, %min : float, %max : float):
  %d : Tensor = ns::fbgemm_conv2d_clamp_float(%x, %layer, %min, %max)
  return (%d))IR");
}

TEST(DropRoundingsTest, EntersBlocks) {
  ExpectDropped(R"IR(
graph(%c : bool, %x : Tensor, %f : Tensor, %layer : __torch__.torch.classes.ns.FbgemmLinear, %scale : float, %zero_point : int):
  %z : Tensor = prim::If(%c)
    block0():
      %q : Tensor = ns::fbgemm_linear(%x, %layer, %scale, %zero_point)
      %d : Tensor = ns::fbgemm_dequantize(%q)
      -> (%d)
    block1():
      -> (%f)
  return (%z))IR",
                R"IR(
graph(%c : bool, %x : Tensor, %f : Tensor, %layer : __torch__.torch.classes.ns.FbgemmLinear, %scale : float, %zero_point : int):
  %z : Tensor = prim::If(%c)
    block0():
      %d : Tensor = ns::fbgemm_linear_float(%x, %layer)
      -> (%d)
    block1():
      -> (%f)
  return (%z))IR");
}

// The input of the dequantize is written to, but not that of the layer before
// it runs.
TEST(DropRoundingsTest, ReadsInputsWhereTheLayerDid) {
  ExpectDropped(R"IR(
graph(%x : Tensor, %layer : __torch__.torch.classes.ns.FbgemmLinear, %scale : float, %zero_point : int):
  %q : Tensor = ns::fbgemm_linear(%x, %layer, %scale, %zero_point)
  %w : Tensor = aten::relu_(%x)
  %d : Tensor = ns::fbgemm_dequantize(%q)
  return (%d, %w))IR",
                R"IR(
graph(%x : Tensor, %layer : __torch__.torch.classes.ns.FbgemmLinear, %scale : float, %zero_point : int):
  %d : Tensor = ns::fbgemm_linear_float(%x, %layer)
  %w : Tensor = aten::relu_(%x)
  return (%d, %w))IR");
}

TEST(DropRoundingsTest, KeepsRoundingsThatOthersRead) {
  ExpectKept(R"IR(
graph(%x : Tensor, %layer : __torch__.torch.classes.ns.FbgemmConv, %scale : float, %zero_point : int):
  %q : Tensor = ns::fbgemm_conv2d(%x, %layer, %scale, %zero_point)
  %d : Tensor = ns::fbgemm_dequantize(%q)
  return (%d, %q))IR",
             "its output is not read by a single dequantize in its block");
}

// Each trip has a tensor of its own, which an op in place may write to.
TEST(DropRoundingsTest, KeepsRoundingsThatAnotherBlockReads) {
  ExpectKept(R"IR(
graph(%n : int, %x : Tensor, %layer : __torch__.torch.classes.ns.FbgemmConv, %scale : float, %zero_point : int):
  %true : bool = prim::Constant[value=1]()
  %q : Tensor = ns::fbgemm_conv2d(%x, %layer, %scale, %zero_point)
  %z : Tensor = prim::Loop(%n, %true, %x)
    block0(%i : int, %carried : Tensor):
      %d : Tensor = ns::fbgemm_dequantize(%q)
      %w : Tensor = aten::add_(%d, %carried, %i)
      -> (%true, %w)
  return (%z))IR",
             "its output is not read by a single dequantize in its block");
}

TEST(DropRoundingsTest, KeepsRoundingsOfOtherOps) {
  ExpectKept(R"IR(
graph(%x : Tensor, %scale : float, %zero_point : int):
  %q : Tensor = ns::fbgemm_quantize(%x, %scale, %zero_point)
  %d : Tensor = ns::fbgemm_dequantize(%q)
  return (%d))IR",
             "no op computes the same and gives floats");
}

TEST(DropRoundingsTest, KeepsDequantizesOfWhatNoNsOpGives) {
  ExpectKept(R"IR(
graph(%q : Tensor):
  %d : Tensor = ns::fbgemm_dequantize(%q)
  return (%d))IR",
             "what it dequantizes is not the output of an ns op");
}

TEST(DropRoundingsTest, CountsRoundings) {
  ModelGraph model = ModelOf(R"IR(
graph(%x : Tensor, %layer : __torch__.torch.classes.ns.FbgemmLinear, %scale : float, %zero_point : int):
  %a : Tensor = ns::fbgemm_linear(%x, %layer, %scale, %zero_point)
  %b : Tensor = ns::fbgemm_linear_relu(%x, %layer, %scale, %zero_point)
  %c : Tensor = ns::fbgemm_linear(%x, %layer, %scale, %zero_point)
  %d : Tensor = ns::fbgemm_dequantize(%a)
  %s : Tensor = ns::fbgemm_hardswish(%b, %scale, %zero_point)
  %e : Tensor = ns::fbgemm_dequantize(%s)
  %t : Tensor = ns::fbgemm_add(%c, %x, %scale, %zero_point)
  return (%d, %e, %t))IR");
  PassContext context;
  const DroppedRoundings dropped = OrThrow(DropRoundings(model, context));
  EXPECT_EQ(dropped.layer_outputs, 2);
  EXPECT_EQ(dropped.other_outputs, 1);
  EXPECT_EQ(dropped.summands, 1);
  EXPECT_TRUE(context.remarks().empty());
}

}  // namespace
}  // namespace ns
