#include "ir/flatten/explicit_convolutions.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tests/testing/ir.h"

namespace ns {
namespace {

void ExpectExplicit(absl::string_view before, absl::string_view after) {
  const auto graph = GraphOf(before);
  EXPECT_TRUE(MakeConvolutionsExplicit(*graph));
  graph->lint();
  ExpectIr(graph, after);
  EXPECT_FALSE(MakeConvolutionsExplicit(*graph));
}

void ExpectUntouched(absl::string_view text) {
  const auto graph = GraphOf(text);
  EXPECT_FALSE(MakeConvolutionsExplicit(*graph));
  ExpectIr(graph, text);
}

TEST(MakeConvolutionsExplicitTest, PaddingThatIsValidIsZero) {
  ExpectExplicit(R"IR(
graph(%x : Tensor, %w : Tensor, %b : Tensor, %stride : int[], %one : int):
  %valid : str = prim::Constant[value="valid"]()
  %y : Tensor = aten::conv2d(%x, %w, %b, %stride, %valid, %stride, %one)
  return (%y))IR",
                 R"IR(
graph(%x : Tensor, %w : Tensor, %b : Tensor, %stride : int[], %one : int):
  %valid : str = prim::Constant[value="valid"]()
  %padding : int[] = prim::Constant[value=[0, 0]]()
  %y : Tensor = aten::conv2d(%x, %w, %b, %stride, %padding, %stride, %one)
  return (%y))IR");
}

TEST(MakeConvolutionsExplicitTest, KeepsPaddingWhenItIsOfNumbers) {
  ExpectUntouched(R"IR(
graph(%x : Tensor, %w : Tensor, %b : Tensor, %stride : int[], %one : int):
  %padding : int[] = prim::Constant[value=[1, 0]]()
  %y : Tensor = aten::conv2d(%x, %w, %b, %stride, %padding, %stride, %one)
  return (%y))IR");
}

TEST(MakeConvolutionsExplicitTest, KeepsTheSameSizeWhenTheWeightIsNotConstant) {
  ExpectUntouched(R"IR(
graph(%x : Tensor, %w : Tensor, %b : Tensor, %stride : int[], %one : int):
  %same : str = prim::Constant[value="same"]()
  %y : Tensor = aten::conv2d(%x, %w, %b, %stride, %same, %stride, %one)
  return (%y))IR");
}

// LibTorch refuses it when the model runs.
TEST(MakeConvolutionsExplicitTest, KeepsTheSameSizeOfAStride) {
  for (const int64_t stride : {1, 2}) {
    const auto graph = GraphOf(R"IR(
graph(%x : Tensor, %b : Tensor, %stride : int[], %one : int):
  %same : str = prim::Constant[value="same"]()
  %ones : int[] = prim::Constant[value=[1]]()
  %y : Tensor = aten::conv1d(%x, %b, %b, %stride, %same, %ones, %one)
  return (%y))IR");
    const torch::jit::WithInsertPoint at(*graph->nodes().begin());
    graph->inputs()[2]->replaceAllUsesWith(
        graph->insertConstant(std::vector<int64_t>{stride}));
    for (torch::jit::Node* node : graph->nodes()) {
      if (node->kind() == c10::aten::conv1d) {
        node->replaceInput(1, graph->insertConstant(at::ones({4, 3, 3})));
      }
    }
    EXPECT_EQ(MakeConvolutionsExplicit(*graph), stride == 1);
  }
}

// The stride allows one more row, and the padding leaves one out at each end.
TEST(MakeConvolutionsExplicitTest, TakesThePartOfTheLargestOutput) {
  ExpectExplicit(R"IR(
graph(%x : Tensor, %w : Tensor, %b : Tensor, %added : int[]):
  %two : int[] = prim::Constant[value=[2]]()
  %ones : int[] = prim::Constant[value=[1]]()
  %one : int = prim::Constant[value=1]()
  %y : Tensor = aten::conv_transpose1d(%x, %w, %b, %two, %ones, %added, %one, %ones)
  return (%y))IR",
                 R"IR(
graph(%x : Tensor, %w : Tensor, %b : Tensor, %added : int[]):
  %two : int[] = prim::Constant[value=[2]]()
  %ones : int[] = prim::Constant[value=[1]]()
  %one : int = prim::Constant[value=1]()
  %padding : int[] = prim::Constant[value=[0]]()
  %most : int[] = prim::Constant[value=[0]]()
  %whole : Tensor = aten::conv_transpose1d(%x, %w, %b, %two, %padding, %most, %one, %ones)
  %last : int = prim::Constant[value=-1]()
  %i : int = prim::Constant[value=0]()
  %asked : int = aten::__getitem__(%added, %i)
  %allowed : int = prim::Constant[value=2]()
  %over : int = aten::sub(%allowed, %asked)
  %size : int = aten::size(%whole, %last)
  %length : int = aten::sub(%size, %over)
  %start : int = prim::Constant[value=1]()
  %y : Tensor = aten::narrow(%whole, %last, %start, %length)
  return (%y))IR");
}

TEST(MakeConvolutionsExplicitTest, PadsTheOutputWhenNoPaddingCanBeLeftOut) {
  ExpectExplicit(R"IR(
graph(%x : Tensor, %w : Tensor, %b : Tensor, %added : int[]):
  %two : int[] = prim::Constant[value=[2]]()
  %zeros : int[] = prim::Constant[value=[0]]()
  %ones : int[] = prim::Constant[value=[1]]()
  %one : int = prim::Constant[value=1]()
  %y : Tensor = aten::conv_transpose1d(%x, %w, %b, %two, %zeros, %added, %one, %ones)
  return (%y))IR",
                 R"IR(
graph(%x : Tensor, %w : Tensor, %b : Tensor, %added : int[]):
  %two : int[] = prim::Constant[value=[2]]()
  %zeros : int[] = prim::Constant[value=[0]]()
  %ones : int[] = prim::Constant[value=[1]]()
  %one : int = prim::Constant[value=1]()
  %padding : int[] = prim::Constant[value=[0]]()
  %most : int[] = prim::Constant[value=[1]]()
  %whole : Tensor = aten::conv_transpose1d(%x, %w, %b, %two, %padding, %most, %one, %ones)
  %last : int = prim::Constant[value=-1]()
  %i : int = prim::Constant[value=0]()
  %asked : int = aten::__getitem__(%added, %i)
  %allowed : int = prim::Constant[value=1]()
  %over : int = aten::sub(%allowed, %asked)
  %size : int = aten::size(%whole, %last)
  %length : int = aten::sub(%size, %over)
  %start : int = prim::Constant[value=0]()
  %y : Tensor = aten::narrow(%whole, %last, %start, %length)
  return (%y))IR");
}

TEST(MakeConvolutionsExplicitTest, KeepsOutputPaddingWhenItIsConstant) {
  ExpectUntouched(R"IR(
graph(%x : Tensor, %w : Tensor, %b : Tensor):
  %two : int[] = prim::Constant[value=[2]]()
  %ones : int[] = prim::Constant[value=[1]]()
  %one : int = prim::Constant[value=1]()
  %y : Tensor = aten::conv_transpose1d(%x, %w, %b, %two, %ones, %ones, %one, %ones)
  return (%y))IR");
}

TEST(MakeConvolutionsExplicitTest,
     KeepsOutputPaddingWhenTheStrideIsNotConstant) {
  ExpectUntouched(R"IR(
graph(%x : Tensor, %w : Tensor, %b : Tensor, %added : int[], %stride : int[]):
  %ones : int[] = prim::Constant[value=[1]]()
  %one : int = prim::Constant[value=1]()
  %y : Tensor = aten::conv_transpose1d(%x, %w, %b, %stride, %ones, %added, %one, %ones)
  return (%y))IR");
}

}  // namespace
}  // namespace ns
