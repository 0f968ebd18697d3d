#include "ns/report/table/coverage_report.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/strip.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ns {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

LayerComparison Layer(const std::string& name, const std::string& op,
                      RunsIn runs_in, std::vector<int64_t> shape,
                      std::vector<std::vector<int64_t>> weights) {
  LayerComparison layer;
  layer.name = name;
  layer.float_side.op = op;
  layer.family = std::string(absl::StripPrefix(op, "aten::"));
  layer.runs_in = runs_in;
  layer.activation.emplace().shape = std::move(shape);
  for (std::vector<int64_t>& weight : weights) {
    layer.weights.push_back({"weight", std::move(weight), {}});
  }
  return layer;
}

ComparisonResult Result(std::vector<LayerComparison> layers) {
  ComparisonResult result;
  result.layers = std::move(layers);
  result.coverage.emplace();
  return result;
}

// A convolution: 2 images of 5 x 5 outputs, each of 4 x 3 x 3 products, in 8
// channels; grouped, so that the weight has half as many inputs.
TEST(Int8MacsShareTest, CountsMultiplyAdds) {
  const LayerComparison conv = Layer("conv", "aten::conv2d", RunsIn::kInt8,
                                     {2, 8, 5, 5}, {{8, 4, 3, 3}, {8}});
  constexpr double kOfConv = 2 * 8 * 5 * 5 * 4 * 3 * 3;
  const LayerComparison linear =
      Layer("fc", "aten::linear", RunsIn::kFloat, {2, 3, 10}, {{10, 20}});
  constexpr double kOfLinear = 2 * 3 * 10 * 20;
  const LayerComparison lstm = Layer("lstm", "aten::lstm", RunsIn::kInt8Weights,
                                     {7, 2, 5}, {{20, 6}, {20, 5}});
  constexpr double kOfLstm = 7 * 2 * (20 * 6 + 20 * 5);
  EXPECT_DOUBLE_EQ(*Int8MacsShare(Result({conv})), 1);
  EXPECT_DOUBLE_EQ(*Int8MacsShare(Result({conv, linear})),
                   kOfConv / (kOfConv + kOfLinear));
  EXPECT_DOUBLE_EQ(*Int8MacsShare(Result({linear, lstm})),
                   kOfLstm / (kOfLstm + kOfLinear));
}

// Four batches, and in each of them five trips.
TEST(Int8MacsShareTest, EachTripOfALoopCounts) {
  LayerComparison step =
      Layer("step", "aten::linear", RunsIn::kInt8, {2, 10}, {{10, 20}});
  step.activation->elements = 2 * 10 * 4 * 5;
  LayerComparison head =
      Layer("head", "aten::linear", RunsIn::kFloat, {2, 10}, {{10, 20}});
  head.activation->elements = 2 * 10 * 4;
  EXPECT_DOUBLE_EQ(*Int8MacsShare(Result({step, head})), 5.0 / 6);
}

// The channels of a single image come first.
TEST(Int8MacsShareTest, AnImageWithoutABatchCountsAsOne) {
  const LayerComparison other =
      Layer("fc", "aten::linear", RunsIn::kFloat, {1, 100}, {{100, 2}});
  for (const std::vector<int64_t>& shape :
       {std::vector<int64_t>{8, 5, 5}, std::vector<int64_t>{1, 8, 5, 5}}) {
    const LayerComparison conv =
        Layer("conv", "aten::conv2d", RunsIn::kInt8, shape, {{8, 4, 3, 3}});
    EXPECT_DOUBLE_EQ(*Int8MacsShare(Result({conv, other})),
                     7200.0 / (7200 + 200));
  }
}

TEST(Int8MacsShareTest, WhatMultipliesNothingDoesNotCount) {
  LayerComparison unknown =
      Layer("fc", "aten::linear", RunsIn::kInt8, {2, 10}, {{10, 20}});
  unknown.activation.reset();
  EXPECT_EQ(
      Int8MacsShare(Result(
          {unknown,
           Layer("norm", "aten::layer_norm", RunsIn::kFloat, {2, 10}, {{10}}),
           Layer("image_norm", "aten::layer_norm", RunsIn::kFloat, {2, 3, 5, 5},
                 {{3, 5, 5}}),
           Layer("table", "aten::embedding", RunsIn::kInt8, {2, 10}, {{9, 10}}),
           Layer("none", "aten::linear", RunsIn::kInt8, {0, 0}, {{0, 3}})})),
      std::nullopt);
}

// Returns a layer of 4 channels and one that takes what it gives: a transposed
// convolution in two groups, from 5 x 5 to 11 x 11. Its float op is `op`.
std::vector<LayerComparison> TransposedConv(const std::string& op,
                                            std::vector<int64_t> input_shape = {
                                                2, 4, 5, 5}) {
  LayerComparison up =
      Layer("up", op, RunsIn::kInt8, {2, 8, 11, 11}, {{4, 4, 3, 3}});
  up.family = "conv_transpose2d";
  up.producers = {0};
  return {
      Layer("relu", "aten::relu", RunsIn::kInt8, std::move(input_shape), {}),
      std::move(up),
      Layer("fc", "aten::linear", RunsIn::kFloat, {2, 10}, {{10, 20}})};
}

TEST(Int8MacsShareTest, EachInputOfATransposedConvMeetsTheWeightsOfItsChannel) {
  constexpr double kOfUp = 2 * 4 * 5 * 5 * 4 * 3 * 3;
  constexpr double kOfLinear = 2 * 10 * 20;
  // Tracing writes the second.
  for (const char* op : {"aten::conv_transpose2d", "aten::_convolution"}) {
    EXPECT_DOUBLE_EQ(*Int8MacsShare(Result(TransposedConv(op))),
                     kOfUp / (kOfUp + kOfLinear));
  }
}

TEST(Int8MacsShareTest, ATransposedConvOfUnknownInputDoesNotCount) {
  for (const char* op : {"aten::conv_transpose2d", "aten::_convolution"}) {
    std::vector<LayerComparison> layers = TransposedConv(op);
    layers[1].producers_are_compared = false;
    EXPECT_EQ(Int8MacsShare(Result(layers)), 0);
    layers = TransposedConv(op);
    layers[1].producers = {};
    EXPECT_EQ(Int8MacsShare(Result(layers)), 0);
    layers = TransposedConv(op);
    layers[0].activation.reset();
    EXPECT_EQ(Int8MacsShare(Result(layers)), 0);
    EXPECT_EQ(Int8MacsShare(Result(TransposedConv(op, {2, 100}))), 0);
    EXPECT_EQ(Int8MacsShare(Result(TransposedConv(op, {2, 8, 5, 5}))), 0);
  }
}

TEST(CoverageReportTest, CountsLayers) {
  ComparisonResult result =
      Result({Layer("a", "aten::linear", RunsIn::kInt8, {2, 10}, {{10, 30}}),
              Layer("b", "aten::linear", RunsIn::kFloat, {2, 10}, {{10, 10}})});
  result.coverage->packs_at_run_time = {"a.linear_prepack"};
  const auto summary = CoverageSummaryOf(result);
  ASSERT_TRUE(summary.has_value());
  EXPECT_EQ(summary->int8_layers, 1);
  EXPECT_EQ(summary->float_layers, 1);
  EXPECT_EQ(summary->int8_macs_share, 0.75);
  EXPECT_EQ(summary->coverage.packs_at_run_time,
            result.coverage->packs_at_run_time);
  result.coverage.reset();
  EXPECT_FALSE(CoverageSummaryOf(result).has_value());
}

TEST(CoverageReportTest, WritesText) {
  ComparisonResult result =
      Result({Layer("a", "aten::linear", RunsIn::kInt8, {2, 10}, {{10, 30}}),
              Layer("b", "aten::linear", RunsIn::kFloat, {2, 10}, {{10, 10}})});
  result.coverage->stayed_float = {{"b\x1b[1m", "aten::linear", "why"}};
  const std::string text = CoverageText(result);
  EXPECT_THAT(
      text,
      HasSubstr(
          "1 of 2 layers run in int8, with 75.0 % of the multiply-adds\n"));
  EXPECT_THAT(text, HasSubstr("1 in float:"));
  EXPECT_THAT(text, HasSubstr("why"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, Not(HasSubstr("packed")));
  EXPECT_EQ(CoverageText(ComparisonResult()), "");
}

}  // namespace
}  // namespace ns
