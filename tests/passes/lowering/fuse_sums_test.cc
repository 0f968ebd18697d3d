#include "passes/lowering/fuse_sums.h"

#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/graph/graph_editor.h"
#include "ir/graph/pass_context.h"
#include "ir/graph/verifier.h"
#include "tests/testing/ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;

void ExpectSumsFused(absl::string_view before, absl::string_view after,
                     SummedLayers layers = SummedLayers::kConv2d) {
  const auto graph = GraphOf(before);
  GraphEditor editor(*graph, /*context=*/nullptr);
  const int64_t fused = OrThrow(FuseSums(editor, layers, /*context=*/nullptr));
  EXPECT_EQ(fused, before == after ? 0 : 1);
  NS_EXPECT_OK(VerifyGraph(*graph));
  ExpectIr(graph, after);
}

// Expects that no sum is fused, with the remark `reason` about a layer.
void ExpectKept(absl::string_view text, absl::string_view reason) {
  const auto graph = GraphOf(text);
  PassContext context;
  GraphEditor editor(*graph, &context);
  EXPECT_EQ(OrThrow(FuseSums(editor, SummedLayers::kAll, &context)), 0);
  ExpectIr(graph, text);
  EXPECT_THAT(context.remarks(),
              ElementsAre(Field(&PassRemark::reason, std::string(reason))));
}

TEST(FuseSumsTest, MovesTheConvolutionIntoTheSum) {
  ExpectSumsFused(R"IR(
graph(%x : Tensor, %layer : __torch__.torch.classes.ns.FbgemmConv, %scale : float, %zero_point : int, %finer : float):
  %y : Tensor = ns::fbgemm_conv2d(%x, %layer, %finer, %zero_point)
  %z : Tensor = ns::fbgemm_add_relu(%y, %x, %scale, %zero_point)
  return (%z))IR",
                  R"IR(
graph(%x : Tensor, %layer : __torch__.torch.classes.ns.FbgemmConv, %scale : float, %zero_point : int, %finer : float):
  %z : Tensor = ns::fbgemm_conv2d_add_relu(%x, %layer, %x, %scale, %zero_point)
  return (%z))IR");
}

TEST(FuseSumsTest, TakesTheLaterOfTwoConvolutions) {
  ExpectSumsFused(R"IR(
graph(%x : Tensor, %a : __torch__.torch.classes.ns.FbgemmConv, %b : __torch__.torch.classes.ns.FbgemmConv, %scale : float, %zero_point : int):
  %y : Tensor = ns::fbgemm_conv2d(%x, %a, %scale, %zero_point)
  %w : Tensor = ns::fbgemm_conv2d(%x, %b, %scale, %zero_point)
  %z : Tensor = ns::fbgemm_add(%y, %w, %scale, %zero_point)
  return (%z))IR",
                  R"IR(
graph(%x : Tensor, %a : __torch__.torch.classes.ns.FbgemmConv, %b : __torch__.torch.classes.ns.FbgemmConv, %scale : float, %zero_point : int):
  %y : Tensor = ns::fbgemm_conv2d(%x, %a, %scale, %zero_point)
  %z : Tensor = ns::fbgemm_conv2d_add(%x, %b, %y, %scale, %zero_point)
  return (%z))IR");
}

TEST(FuseSumsTest, KeepsSumsOfConvolutionsThatAreUsedElsewhere) {
  ExpectKept(R"IR(
graph(%x : Tensor, %layer : __torch__.torch.classes.ns.FbgemmConv, %scale : float, %zero_point : int):
  %y : Tensor = ns::fbgemm_conv2d(%x, %layer, %scale, %zero_point)
  %z : Tensor = ns::fbgemm_add(%y, %y, %scale, %zero_point)
  return (%z))IR",
             "its output is not read by a single sum in its block");
}

TEST(FuseSumsTest, KeepsConvolutionsWhoseInputIsWrittenTo) {
  ExpectKept(R"IR(
graph(%x : Tensor, %layer : __torch__.torch.classes.ns.FbgemmConv, %scale : float, %zero_point : int):
  %y : Tensor = ns::fbgemm_conv2d(%x, %layer, %scale, %zero_point)
  %r : Tensor = aten::relu_(%x)
  %z : Tensor = ns::fbgemm_add(%y, %r, %scale, %zero_point)
  return (%z))IR",
             "an op in place may write to its input before the sum");
}

TEST(FuseSumsTest, MovesLayersOfOtherKindsWhenAskedTo) {
  for (const auto& [op, layer] :
       {std::pair("linear", "Linear"), std::pair("conv1d", "Conv"),
        std::pair("conv3d", "Conv")}) {
    const auto with_names = [&, op = op, layer = layer](const char* text) {
      return absl::StrReplaceAll(text, {{"OP", op}, {"LAYER", layer}});
    };
    SCOPED_TRACE(op);
    const std::string before = with_names(R"IR(
graph(%x : Tensor, %layer : __torch__.torch.classes.ns.FbgemmLAYER, %scale : float, %zero_point : int):
  %y : Tensor = ns::fbgemm_OP(%x, %layer, %scale, %zero_point)
  %z : Tensor = ns::fbgemm_add(%x, %y, %scale, %zero_point)
  return (%z))IR");
    ExpectSumsFused(before, before, SummedLayers::kConv2d);
    ExpectSumsFused(before, with_names(R"IR(
graph(%x : Tensor, %layer : __torch__.torch.classes.ns.FbgemmLAYER, %scale : float, %zero_point : int):
  %z : Tensor = ns::fbgemm_OP_add(%x, %layer, %x, %scale, %zero_point)
  return (%z))IR"),
                    SummedLayers::kAll);
  }
}

TEST(FuseSumsTest, KeepsLayersThatHaveNoFormWithSum) {
  ExpectKept(R"IR(
graph(%x : Tensor, %layer : __torch__.torch.classes.ns.FbgemmLinear, %scale : float, %zero_point : int):
  %y : Tensor = ns::fbgemm_linear_relu(%x, %layer, %scale, %zero_point)
  %z : Tensor = ns::fbgemm_add(%y, %x, %scale, %zero_point)
  return (%z))IR",
             "no ns op adds to its output before rounding it");
}

TEST(FuseSumsTest, RemarksTheLayerWhoseSumIsFusedIntoAnother) {
  const auto graph = GraphOf(R"IR(
graph(%x : Tensor, %a : __torch__.torch.classes.ns.FbgemmLinear, %b : __torch__.torch.classes.ns.FbgemmLinear, %scale : float, %zero_point : int):
  %y : Tensor = ns::fbgemm_linear(%x, %a, %scale, %zero_point)
  %w : Tensor = ns::fbgemm_linear(%x, %b, %scale, %zero_point)
  %z : Tensor = ns::fbgemm_add(%y, %w, %scale, %zero_point)
  return (%z))IR");
  PassContext context;
  GraphEditor editor(*graph, &context);
  EXPECT_EQ(OrThrow(FuseSums(editor, SummedLayers::kAll, &context)), 1);
  EXPECT_THAT(context.remarks(),
              ElementsAre(Field(&PassRemark::reason,
                                "its sum is fused into another layer")));
}

// They are layers that have their sum: the residual connection of a block.
TEST(FuseSumsTest, MakesNoRemarkOfSumsThatAreFusedAlready) {
  const auto graph = GraphOf(R"IR(
graph(%x : Tensor, %layer : __torch__.torch.classes.ns.FbgemmLinear, %scale : float, %zero_point : int):
  %y : Tensor = ns::fbgemm_linear_add(%x, %layer, %x, %scale, %zero_point)
  %z : Tensor = ns::fbgemm_add(%y, %x, %scale, %zero_point)
  return (%z))IR");
  PassContext context;
  GraphEditor editor(*graph, &context);
  EXPECT_EQ(OrThrow(FuseSums(editor, SummedLayers::kAll, &context)), 0);
  EXPECT_TRUE(context.remarks().empty());
}

}  // namespace
}  // namespace ns
