#include "passes/lowering/fuse_lowered.h"

#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/passes/dead_code_elimination.h>

#include "gtest/gtest.h"
#include "ir/graph/graph_editor.h"
#include "ir/graph/verifier.h"
#include "ir/text/text.h"
#include "tests/testing/ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

void ExpectFused(absl::string_view before, absl::string_view after) {
  const auto graph = GraphOf(before);
  GraphEditor editor(*graph, /*context=*/nullptr);
  NS_EXPECT_OK(FuseLowered(editor));
  torch::jit::EliminateDeadCode(graph->block());
  NS_EXPECT_OK(VerifyGraph(*graph));
  ExpectIr(graph, after);
}

void ExpectUntouched(absl::string_view text) { ExpectFused(text, text); }

TEST(FuseLoweredTest, MovesReluIntoTheConvolution) {
  ExpectFused(R"IR(
graph(%x : Tensor, %layer : __torch__.torch.classes.ns.FbgemmConv, %scale : float, %zero_point : int):
  %y : Tensor = ns::fbgemm_conv2d(%x, %layer, %scale, %zero_point)
  %z : Tensor = ns::fbgemm_relu(%y)
  return (%z))IR",
              R"IR(
graph(%x : Tensor, %layer : __torch__.torch.classes.ns.FbgemmConv, %scale : float, %zero_point : int):
  %z : Tensor = ns::fbgemm_conv2d_relu(%x, %layer, %scale, %zero_point)
  return (%z))IR");
}

TEST(FuseLoweredTest, MovesClampIntoTheLinearLayer) {
  ExpectFused(R"IR(
graph(%x : Tensor, %layer : __torch__.torch.classes.ns.FbgemmLinear, %scale : float, %zero_point : int):
  %min : int = prim::Constant[value=0]()
  %max : float = prim::Constant[value=6.]()
  %y : Tensor = ns::fbgemm_linear(%x, %layer, %scale, %zero_point)
  %z : Tensor = ns::fbgemm_clamp(%y, %min, %max)
  return (%z))IR",
              R"IR(
graph(%x : Tensor, %layer : __torch__.torch.classes.ns.FbgemmLinear, %scale : float, %zero_point : int):
  %min : float = prim::Constant[value=0.]()
  %max : float = prim::Constant[value=6.]()
  %z : Tensor = ns::fbgemm_linear_clamp(%x, %layer, %scale, %zero_point, %min, %max)
  return (%z))IR");
}

TEST(FuseLoweredTest, EntersBlocks) {
  ExpectFused(R"IR(
graph(%c : bool, %x : Tensor, %layer : __torch__.torch.classes.ns.FbgemmConv, %scale : float, %zero_point : int):
  %z : Tensor = prim::If(%c)
    block0():
      %y : Tensor = ns::fbgemm_conv1d(%x, %layer, %scale, %zero_point)
      %r : Tensor = ns::fbgemm_relu(%y)
      -> (%r)
    block1():
      -> (%x)
  return (%z))IR",
              R"IR(
graph(%c : bool, %x : Tensor, %layer : __torch__.torch.classes.ns.FbgemmConv, %scale : float, %zero_point : int):
  %z : Tensor = prim::If(%c)
    block0():
      %r : Tensor = ns::fbgemm_conv1d_relu(%x, %layer, %scale, %zero_point)
      -> (%r)
    block1():
      -> (%x)
  return (%z))IR");
}

TEST(FuseLoweredTest, KeepsReluWhenTheLayersOutputIsUsedElsewhere) {
  ExpectUntouched(R"IR(
graph(%x : Tensor, %layer : __torch__.torch.classes.ns.FbgemmConv, %scale : float, %zero_point : int):
  %y : Tensor = ns::fbgemm_conv2d(%x, %layer, %scale, %zero_point)
  %z : Tensor = ns::fbgemm_relu(%y)
  %s : Tensor = ns::fbgemm_add(%y, %z, %scale, %zero_point)
  return (%s))IR");
}

TEST(FuseLoweredTest, KeepsClampWhenTheLayerHasAnActivation) {
  ExpectUntouched(R"IR(
graph(%x : Tensor, %layer : __torch__.torch.classes.ns.FbgemmConv, %scale : float, %zero_point : int):
  %none : NoneType = prim::Constant()
  %max : float = prim::Constant[value=6.]()
  %y : Tensor = ns::fbgemm_conv2d_relu(%x, %layer, %scale, %zero_point)
  %z : Tensor = ns::fbgemm_clamp(%y, %none, %max)
  return (%z))IR");
}

// FuseSums has made it.
TEST(FuseLoweredTest, KeepsClampWhenThereIsNoFusedOp) {
  ExpectUntouched(R"IR(
graph(%x : Tensor, %layer : __torch__.torch.classes.ns.FbgemmConv, %other : Tensor, %scale : float, %zero_point : int):
  %min : int = prim::Constant[value=0]()
  %max : int = prim::Constant[value=6]()
  %y : Tensor = ns::fbgemm_conv2d_add(%x, %layer, %other, %scale, %zero_point)
  %z : Tensor = ns::fbgemm_clamp(%y, %min, %max)
  return (%z))IR");
}

TEST(FuseLoweredTest, KeepsClampWhenItsBoundsAreNotConstant) {
  ExpectUntouched(R"IR(
graph(%x : Tensor, %layer : __torch__.torch.classes.ns.FbgemmConv, %scale : float, %zero_point : int, %max : float):
  %none : NoneType = prim::Constant()
  %y : Tensor = ns::fbgemm_conv2d(%x, %layer, %scale, %zero_point)
  %z : Tensor = ns::fbgemm_clamp(%y, %none, %max)
  return (%z))IR");
}

TEST(FuseLoweredTest, KeepsReluBehindADynamicLayer) {
  ExpectUntouched(R"IR(
graph(%x : Tensor, %layer : __torch__.torch.classes.ns.FbgemmLinear):
  %false : bool = prim::Constant[value=0]()
  %y : Tensor = ns::fbgemm_linear_dynamic(%x, %layer, %false, %false)
  %z : Tensor = ns::fbgemm_relu(%y)
  return (%z))IR");
}

TEST(FuseLoweredTest, PassesTensorsOnThatAreQuantizedBackAlike) {
  ExpectFused(R"IR(
graph(%x : Tensor):
  %scale : float = prim::Constant[value=0.5]()
  %zero_point : int = prim::Constant[value=7]()
  %q : Tensor = ns::fbgemm_quantize(%x, %scale, %zero_point)
  %d : Tensor = ns::fbgemm_dequantize(%q)
  %r : Tensor = ns::fbgemm_quantize(%d, %scale, %zero_point)
  %y : Tensor = ns::fbgemm_relu(%r)
  return (%y))IR",
              R"IR(
graph(%x : Tensor):
  %scale : float = prim::Constant[value=0.5]()
  %zero_point : int = prim::Constant[value=7]()
  %q : Tensor = ns::fbgemm_quantize(%x, %scale, %zero_point)
  %y : Tensor = ns::fbgemm_relu(%q)
  return (%y))IR");
}

TEST(FuseLoweredTest, RequantizesTensorsThatAreQuantizedBackOtherwise) {
  ExpectFused(R"IR(
graph(%x : Tensor):
  %scale : float = prim::Constant[value=0.5]()
  %finer : float = prim::Constant[value=0.25]()
  %zero_point : int = prim::Constant[value=7]()
  %q : Tensor = ns::fbgemm_quantize(%x, %scale, %zero_point)
  %d : Tensor = ns::fbgemm_dequantize(%q)
  %r : Tensor = ns::fbgemm_quantize(%d, %finer, %zero_point)
  return (%r))IR",
              R"IR(
graph(%x : Tensor):
  %scale : float = prim::Constant[value=0.5]()
  %finer : float = prim::Constant[value=0.25]()
  %zero_point : int = prim::Constant[value=7]()
  %q : Tensor = ns::fbgemm_quantize(%x, %scale, %zero_point)
  %r : Tensor = ns::fbgemm_requantize(%q, %finer, %zero_point)
  return (%r))IR");
}

}  // namespace
}  // namespace ns
