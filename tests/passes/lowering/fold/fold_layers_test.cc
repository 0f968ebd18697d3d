#include <ATen/Functions.h>
#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ir/graph/pass_context.h"
#include "passes/lowering/fold/fold_reference_quantization.h"
#include "tests/passes/lowering/fold/folding.h"
#include "tests/testing/engines.h"
#include "tests/testing/run_pass.h"

namespace ns {
namespace {

// Of the second input, which most tests have no use for.
constexpr char kUnused[] = "%5 = aten::dequantize(%4)\n";

class FoldLayersTest : public EngineTest {};
NS_INSTANTIATE_ON_ENGINES(FoldLayersTest);

constexpr char kLinear[] = R"IR(
  %w : Tensor = aten::dequantize(%linear_w)
  %l : Tensor = aten::linear(%d, %w, %b)
  %o : Tensor = aten::quantize_per_tensor(%l, %so, %zo, %t)
  return (%o, %e))IR";

TEST_P(FoldLayersTest, FoldsLinear) {
  ExpectFoldedOnQuantized(
      kLinear,
      absl::StrCat(kUnused, R"(%6 = quantized::linear(%3, <Object>, 0.5, 3)
return (%6, %5))"));
}

TEST_P(FoldLayersTest, FoldsReluIntoConv2d) {
  ExpectFoldedOnQuantized(
      R"IR(
  %w : Tensor = aten::dequantize(%conv_w)
  %c : Tensor = aten::conv2d(%d, %w, %none, %ones, %zeros, %ones, %one)
  %a : Tensor = aten::relu(%c)
  %o : Tensor = aten::quantize_per_tensor(%a, %so, %zo, %t)
  return (%o, %e))IR",
      absl::StrCat(kUnused,
                   R"(%6 = quantized::conv2d_relu(%3, <Object>, 0.5, 3)
return (%6, %5))"));
}

TEST_P(FoldLayersTest, FoldsConv1d) {
  ExpectFoldedOnQuantized(
      R"IR(
  %w : Tensor = aten::dequantize(%conv1d_w)
  %c : Tensor = aten::conv1d(%d, %w, %b, %one1, %zero1, %one1, %one)
  %o : Tensor = aten::quantize_per_tensor(%c, %so, %zo, %t)
  return (%o, %e))IR",
      absl::StrCat(kUnused,
                   R"(%6 = quantized::conv1d(%3, <Object>, 0.5, 3)
return (%6, %5))"));
}

// Tracing makes it of every convolution.
TEST_P(FoldLayersTest, TellsTransposedConvolutionsByTheirArguments) {
  ExpectFoldedOnQuantized(
      R"IR(
  %w : Tensor = aten::dequantize(%conv_w)
  %c : Tensor = aten::_convolution(%d, %w, %none, %ones, %zeros, %ones, %yes, %zeros, %one, %no, %no, %no, %no)
  %o : Tensor = aten::quantize_per_tensor(%c, %so, %zo, %t)
  return (%o, %e))IR",
      absl::StrCat(kUnused,
                   R"(%6 = quantized::conv_transpose2d(%3, <Object>, 0.5, 3)
return (%6, %5))"),
      With("conv_w", PerTensor({2, 4, 3, 3})));
}

// Graphs that no freezing has gone over.
TEST_P(FoldLayersTest, QuantizesConstantWeights) {
  GraphConstants constants = With("linear_w", at::ones({4, 8}));
  constants["conv_w"] = at::full(4, 0.25);
  constants["conv1d_w"] = at::zeros(4, at::kLong);
  ExpectFoldedOnQuantized(
      R"IR(
  %codes : Tensor = aten::quantize_per_channel(%linear_w, %conv_w, %conv1d_w, %zero, %signed)
  %w : Tensor = aten::dequantize(%codes)
  %l : Tensor = aten::linear(%d, %w, %b)
  %o : Tensor = aten::quantize_per_tensor(%l, %so, %zo, %t)
  return (%o, %e))IR",
      absl::StrCat(kUnused,
                   R"(%6 = quantized::linear(%3, <Object>, 0.5, 3)
return (%6, %5))"),
      constants);
}

TEST_P(FoldLayersTest, FoldsDynamicLinearAndItsRelu) {
  ExpectFoldedOnQuantized(R"IR(
  %q2 : Tensor = aten::quantize_per_tensor_dynamic(%x, %t, %no)
  %d2 : Tensor = aten::dequantize(%q2)
  %w : Tensor = aten::dequantize(%linear_w)
  %l : Tensor = aten::linear(%d2, %w, %b)
  %a : Tensor = aten::relu(%l)
  return (%a, %d, %e))IR",
                          R"(%5 = aten::dequantize(%3)
%6 = aten::dequantize(%4)
%7 = quantized::linear_relu_dynamic(%0, <Object>, False)
return (%7, %5, %6))");
}

// Its output is float: it has a range of its own.
TEST_P(FoldLayersTest, KeepsDynamicConvolutions) {
  ExpectReasonOnQuantized(
      R"IR(
  %q2 : Tensor = aten::quantize_per_tensor_dynamic(%x, %t, %no)
  %d2 : Tensor = aten::dequantize(%q2)
  %w : Tensor = aten::dequantize(%conv_w)
  %c : Tensor = aten::conv2d(%d2, %w, %none, %ones, %zeros, %ones, %one)
  return (%c, %d, %e))IR",
      "aten::conv2d",
      "dynamic convolutions clip their output to the range of "
      "their input");
}

// As LibTorch's graph-mode passes write it.
TEST_P(FoldLayersTest, FoldsDynamicLinearWithChosenParameters) {
  ExpectFoldedOnQuantized(R"IR(
  %s2 : float, %z2 : int = aten::_choose_qparams_per_tensor(%x, %yes)
  %q2 : Tensor = aten::quantize_per_tensor(%x, %s2, %z2, %t)
  %d2 : Tensor = aten::dequantize(%q2)
  %w : Tensor = aten::dequantize(%linear_w)
  %l : Tensor = aten::linear(%d2, %w, %b)
  return (%l, %d, %e))IR",
                          R"(%5 = aten::dequantize(%3)
%6 = aten::dequantize(%4)
%7 = quantized::linear_dynamic(%0, <Object>, True)
return (%7, %5, %6))");
}

constexpr char kEmbedding[] = R"IR(
  %w : Tensor = aten::dequantize(%linear_w)
  %l : Tensor = aten::embedding(%w, %x, %zero, %no, %no)
  return (%l, %e))IR";

TEST(FoldEmbeddingsTest, PacksRowsOfBytes) {
  constexpr char kFolded[] = R"(
%3 = aten::quantize_per_tensor(%1, 0.5, 7, 13)
%4 = aten::dequantize(%3)
%5 = aten::contiguous(%0, 0)
%6 = quantized::embedding_byte(<Object>, %5, False)
return (%6, %4))";
  const std::string text = GraphText(absl::StrCat(R"IR(
  %r : Tensor = aten::quantize_per_tensor(%y, %so, %z, %t)
  %e : Tensor = aten::dequantize(%r))IR",
                                                  kEmbedding));
  ExpectFolded(text, With("linear_w", Rows(at::kQUInt8)), kFolded);
}

constexpr char kBag[] = R"IR(
  %w : Tensor = aten::dequantize(%linear_w)
  %l : Tensor, %m : Tensor, %n : Tensor, %o : Tensor = aten::embedding_bag(%w, %x, %y, %no, %zero, %no, %none, %yes, %none)
  return (%l))IR";

TEST(FoldEmbeddingsTest, FoldsBags) {
  ExpectFolded(GraphText(kBag), With("linear_w", Rows(at::kQUInt8)), R"(
%3 = aten::contiguous(%0, 0)
%4 = aten::contiguous(%1, 0)
%5 = quantized::embedding_bag_byte(<Object>, %3, %4, False, 0, False, None, None, True)
return (%5))");
}

TEST(FoldEmbeddingsTest, KeepsBagWhenItTakesTheMaximum) {
  GraphConstants constants = With("linear_w", Rows(at::kQUInt8));
  constants["zero"] = 2;
  ExpectKept(GraphText(kBag), constants, "aten::embedding_bag",
             "it takes the maximum of its rows; its kernel adds them up");
}

TEST(FoldEmbeddingsTest, KeepsEmbeddingWhenRowsOf4BitsAreOdd) {
  const auto odd = at::quantize_per_channel(at::rand({4, 3}), at::ones({4}),
                                            at::zeros({4}), 0, at::kQUInt4x2);
  ExpectReasonOnQuantized(
      kEmbedding, "aten::embedding",
      "its rows have 3 elements; rows of 4 bits need an even number",
      With("linear_w", odd));
}

TEST(FoldEmbeddingsTest, KeepsBagWhenItsOtherOutputsAreUsed) {
  ExpectKept(GraphText(R"IR(
  %w : Tensor = aten::dequantize(%linear_w)
  %l : Tensor, %m : Tensor, %n : Tensor, %o : Tensor = aten::embedding_bag(%w, %x, %y, %no, %zero, %no, %none, %yes, %none)
  return (%l, %n))IR"),
             With("linear_w", Rows(at::kQUInt8)), "aten::embedding_bag",
             "more than its first output is used");
}

TEST(FoldEmbeddingsTest, KeepsEmbeddingWhenItsRowsAreSigned) {
  ExpectReasonOnQuantized(kEmbedding, "aten::embedding",
                          "its weight has quantized values of type QInt8; "
                          "quantized embeddings take QUInt8 "
                          "and QUInt4x2");
}

TEST(FoldEmbeddingsTest, KeepsEmbeddingWhenItsRowsShareAScale) {
  ExpectReasonOnQuantized(
      kEmbedding, "aten::embedding",
      "its weight does not have a scale and a float zero point for each row",
      With("linear_w", PerTensor({4, 8}, at::kQUInt8)));
}

TEST(FoldEmbeddingsTest, KeepsEmbeddingWhenIndicesAreOfAnotherRank) {
  ExpectKept(R"IR(
graph(%x : Long(2, 3, 4), %linear_w : Tensor, %zero : int, %no : bool):
  %w : Tensor = aten::dequantize(%linear_w)
  %l : Tensor = aten::embedding(%w, %x, %zero, %no, %no)
  return (%l))IR",
             With("linear_w", Rows(at::kQUInt8)), "aten::embedding",
             "its kernel takes indices with one or two dimensions");
}

TEST(FoldLayerGuardsTest, KeepsLayerWhenItsWeightIsAFloatConstant) {
  ExpectReasonOnQuantized(
      R"IR(
  %l : Tensor = aten::linear(%d, %linear_w, %b)
  %o : Tensor = aten::quantize_per_tensor(%l, %so, %zo, %t)
  return (%o, %e))IR",
      "aten::linear",
      "its weight is a float constant, without scale and zero "
      "point",
      With("linear_w", at::ones({4, 8})));
}

TEST(FoldLayerGuardsTest, KeepsLayerWhenItsWeightIsNotDequantized) {
  ExpectReasonOnQuantized(R"IR(
  %l : Tensor = aten::linear(%d, %x, %b)
  %o : Tensor = aten::quantize_per_tensor(%l, %so, %zo, %t)
  return (%o, %e))IR",
                          "aten::linear", "its weight is not dequantized");
}

TEST(FoldLayerGuardsTest, KeepsLayerWhenItsWeightIsNotConstant) {
  ExpectReasonOnQuantized(R"IR(
  %l : Tensor = aten::linear(%d, %e, %b)
  %o : Tensor = aten::quantize_per_tensor(%l, %so, %zo, %t)
  return (%o, %e))IR",
                          "aten::linear", "its weight is not constant");
}

TEST(FoldLayerGuardsTest, KeepsLayerWhenItsBiasIsNotConstant) {
  ExpectReasonOnQuantized(R"IR(
  %w : Tensor = aten::dequantize(%linear_w)
  %l : Tensor = aten::linear(%d, %w, %y)
  %o : Tensor = aten::quantize_per_tensor(%l, %so, %zo, %t)
  return (%o, %e))IR",
                          "aten::linear", "its bias is not constant");
}

TEST(FoldLayerGuardsTest, KeepsLayerWhenItsWeightIsUnsigned) {
  ExpectReasonOnQuantized(kLinear, "aten::linear",
                          "its weight has quantized values of type QUInt8; "
                          "quantized layers take QInt8",
                          With("linear_w", PerTensor({4, 8}, at::kQUInt8)));
}

TEST(FoldLayerGuardsTest, KeepsLayerWhenItsWeightHasAScaleForEachInput) {
  ExpectReasonOnQuantized(
      kLinear, "aten::linear",
      "its weight has a scale for each slice of dimension 1; quantized layers "
      "take dimension 0",
      With("linear_w", PerChannel({4, 8}, /*axis=*/1)));
}

TEST(FoldLayerGuardsTest, KeepsLayerWhenItsWeightHasFloatZeroPoints) {
  ExpectReasonOnQuantized(kLinear, "aten::linear",
                          "its weight is quantized with float zero points",
                          With("linear_w", Rows(at::kQInt8)));
}

TEST(FoldLayerGuardsTest, KeepsLayerWhenItsInputIsSigned) {
  GraphConstants constants = Constants();
  constants["t"] = int64_t{12};
  ExpectReasonOnQuantized(
      kLinear, "aten::linear",
      "it takes quantized values of type QInt8; its kernel takes QUInt8",
      constants);
}

TEST(FoldLayerGuardsTest, KeepsConvolutionWhenItsStrideIsNotConstant) {
  ExpectReasonOnQuantized(R"IR(
  %n : int = aten::dim(%x)
  %strides : int[] = prim::ListConstruct(%n, %n)
  %w : Tensor = aten::dequantize(%conv_w)
  %c : Tensor = aten::conv2d(%d, %w, %none, %strides, %zeros, %ones, %one)
  %o : Tensor = aten::quantize_per_tensor(%c, %so, %zo, %t)
  return (%o, %e))IR",
                          "aten::conv2d", "its stride is not constant");
}

TEST(FoldLayerGuardsTest, KeepsConvolutionWhenItsGroupsAreNotConstant) {
  ExpectReasonOnQuantized(R"IR(
  %n : int = aten::dim(%x)
  %w : Tensor = aten::dequantize(%conv_w)
  %c : Tensor = aten::conv2d(%d, %w, %none, %ones, %zeros, %ones, %n)
  %o : Tensor = aten::quantize_per_tensor(%c, %so, %zo, %t)
  return (%o, %e))IR",
                          "aten::conv2d", "its groups is not constant");
}

TEST(FoldLayerGuardsTest, KeepsConvolutionWhenItsNumbersDoNotFit) {
  ExpectReasonOnQuantized(R"IR(
  %w : Tensor = aten::dequantize(%conv1d_w)
  %c : Tensor = aten::conv1d(%d, %w, %b, %ones, %zero1, %one1, %one)
  %o : Tensor = aten::quantize_per_tensor(%c, %so, %zo, %t)
  return (%o, %e))IR",
                          "aten::conv1d", "its stride does not fit its weight");
}

TEST(FoldLayerGuardsTest, KeepsTransposedConvolutionWhenItHasAScalePerChannel) {
  const auto graph = GraphWith(OnQuantized(R"IR(
  %w : Tensor = aten::dequantize(%conv_w)
  %c : Tensor = aten::conv_transpose2d(%d, %w, %none, %ones, %zeros, %zeros, %one, %ones)
  %o : Tensor = aten::quantize_per_tensor(%c, %so, %zo, %t)
  return (%o, %e))IR"),
                               Constants());
  const PassRun run = RunPass(FoldReferenceQuantization(), graph);
  EXPECT_FALSE(run.changed);
  const std::vector<PassRemark>& remarks = run.remarks;
  ASSERT_EQ(remarks.size(), 1);
  EXPECT_EQ(remarks[0].op, "aten::conv_transpose2d");
  EXPECT_TRUE(
      absl::StartsWith(remarks[0].reason, "its weight cannot be packed"))
      << remarks[0].reason;
}

TEST(FoldLayerGuardsTest, KeepsTransposedConvolutionWhenAReluFollows) {
  ExpectReasonOnQuantized(
      R"IR(
  %w : Tensor = aten::dequantize(%conv_w)
  %c : Tensor = aten::_convolution(%d, %w, %none, %ones, %zeros, %ones, %yes, %zeros, %one, %no, %no, %no, %no)
  %a : Tensor = aten::relu(%c)
  %o : Tensor = aten::quantize_per_tensor(%a, %so, %zo, %t)
  return (%o, %e))IR",
      "aten::_convolution", "transposed convolutions do not fuse a relu",
      With("conv_w", PerTensor({2, 4, 3, 3})));
}

TEST(FoldLayerGuardsTest, KeepsConvolutionWhenItsKindIsNotConstant) {
  ExpectReasonOnQuantized(R"IR(
  %w : Tensor = aten::dequantize(%conv_w)
  %c : Tensor = aten::_convolution(%d, %w, %none, %ones, %zeros, %ones, %p, %zeros, %one, %no, %no, %no, %no)
  %o : Tensor = aten::quantize_per_tensor(%c, %so, %zo, %t)
  return (%o, %e))IR",
                          "aten::_convolution", "its kind is not constant");
}

TEST(FoldLayerGuardsTest, KeepsConvolutionWhenItsWeightIsAMatrix) {
  ExpectReasonOnQuantized(R"IR(
  %w : Tensor = aten::dequantize(%linear_w)
  %c : Tensor = aten::conv2d(%d, %w, %none, %ones, %zeros, %ones, %one)
  %o : Tensor = aten::quantize_per_tensor(%c, %so, %zo, %t)
  return (%o, %e))IR",
                          "aten::conv2d",
                          "its weight has 2 dimensions, which no kernel takes");
}

TEST(FoldLayerGuardsTest, KeepsDynamicLayerWhenItsInputIsWrittenTo) {
  ExpectReasonOnQuantized(R"IR(
  %q2 : Tensor = aten::quantize_per_tensor_dynamic(%x, %t, %no)
  %d2 : Tensor = aten::dequantize(%q2)
  %m : Tensor = aten::mul_(%x, %half)
  %w : Tensor = aten::dequantize(%linear_w)
  %l : Tensor = aten::linear(%d2, %w, %b)
  return (%l, %m, %d, %e))IR",
                          "aten::linear",
                          "an op in place writes to its tensors");
}

TEST(FoldLayerGuardsTest, KeepsReluOfADynamicLayerWhenItsInputIsWrittenTo) {
  ExpectReasonOnQuantized(R"IR(
  %packed : __torch__.torch.classes.quantized.LinearPackedParamsBase = quantized::linear_prepack(%linear_w, %b)
  %l : Tensor = quantized::linear_dynamic(%x, %packed, %yes)
  %m : Tensor = aten::mul_(%x, %half)
  %a : Tensor = aten::relu(%l)
  return (%a, %m, %d, %e))IR",
                          "aten::relu", "an op in place writes to its tensors");
}

TEST(FoldEmbeddingsTest, PacksRowsOfHalfBytes) {
  ExpectFolded(GraphText(R"IR(
  %w : Tensor = aten::dequantize(%linear_w)
  %l : Tensor = aten::embedding(%w, %x, %zero, %no, %no)
  return (%l))IR"),
               With("linear_w", Rows(at::kQUInt4x2)), R"(
%3 = aten::contiguous(%0, 0)
%4 = quantized::embedding_4bit(<Object>, %3, False)
return (%4))");
}

}  // namespace
}  // namespace ns
