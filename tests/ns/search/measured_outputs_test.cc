#include "ns/search/measured_outputs.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <cmath>
#include <limits>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::HasSubstr;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

NamedTensors Named(const at::Tensor& tensor) { return {{"output", tensor}}; }

at::Tensor Scores(const std::vector<std::vector<float>>& rows) {
  std::vector<at::Tensor> tensors;
  for (const std::vector<float>& row : rows) {
    tensors.push_back(at::tensor(row));
  }
  return at::stack(tensors);
}

TEST(MeasuredOutputsTest, PoolsTheErrorOfAllBatches) {
  MeasuredOutputs outputs(/*has_labels=*/false);
  outputs.AddFloat(0, Named(at::ones({4})));
  outputs.AddFloat(2, Named(at::full({4}, 2.0)));
  outputs.Begin();
  NS_ASSERT_OK(outputs.Compare(0, Named(at::full({4}, 1.5))));
  NS_ASSERT_OK(outputs.Compare(2, Named(at::full({4}, 2.0))));
  EXPECT_DOUBLE_EQ(outputs.noise(), 1.0 / 20);
  outputs.Begin();
  EXPECT_EQ(outputs.noise(), 0);
}

// A model may return a buffer, which the next batch overwrites.
TEST(MeasuredOutputsTest, FloatOutputsAreKeptAsTheyWere) {
  MeasuredOutputs outputs(/*has_labels=*/false);
  const at::Tensor buffer = at::ones({4});
  outputs.AddFloat(0, Named(buffer));
  buffer.zero_();
  outputs.Begin();
  NS_ASSERT_OK(outputs.Compare(0, Named(at::full({4}, 1.5))));
  EXPECT_DOUBLE_EQ(outputs.noise(), 0.25);
}

TEST(MeasuredOutputsTest, TheNoisiestOutputCounts) {
  MeasuredOutputs outputs(/*has_labels=*/false);
  const at::Tensor x = at::ones({2});
  outputs.AddFloat(0, {{"output[0]", x}, {"output[1]", x}});
  outputs.Begin();
  NS_ASSERT_OK(
      outputs.Compare(0, {{"output[0]", x * 1.5}, {"output[1]", x * 1.1}}));
  EXPECT_NEAR(outputs.noise(), 0.25, 1e-6);
}

TEST(MeasuredOutputsTest, RefusesOtherShapes) {
  MeasuredOutputs outputs(/*has_labels=*/false);
  outputs.AddFloat(0, Named(at::ones({2})));
  EXPECT_THAT(outputs.Compare(0, Named(at::ones({3}))).message(),
              HasSubstr("another shape"));
}

// Whichever output has it, and whatever the others have.
TEST(MeasuredOutputsTest, NanIsNeverExact) {
  const at::Tensor x = at::ones({2});
  for (const auto& [first, second] :
       {std::pair(x * kNan, x), std::pair(x, x * kNan)}) {
    MeasuredOutputs outputs(/*has_labels=*/false);
    outputs.AddFloat(0, {{"output[0]", x}, {"output[1]", x}});
    outputs.AddFloat(1, {{"output[0]", x}, {"output[1]", x}});
    outputs.Begin();
    NS_ASSERT_OK(
        outputs.Compare(0, {{"output[0]", first}, {"output[1]", second}}));
    NS_ASSERT_OK(
        outputs.Compare(1, {{"output[0]", x * 2}, {"output[1]", x * 2}}));
    EXPECT_TRUE(std::isnan(outputs.noise())) << outputs.noise();
  }
}

TEST(MeasuredOutputsTest, AnErrorInAnOutputOfZerosIsInfinite) {
  MeasuredOutputs outputs(/*has_labels=*/false);
  outputs.AddFloat(0, Named(at::zeros({2})));
  outputs.Begin();
  NS_ASSERT_OK(outputs.Compare(0, Named(at::zeros({2}))));
  EXPECT_EQ(outputs.noise(), 0);
  NS_ASSERT_OK(outputs.Compare(0, Named(at::ones({2}))));
  EXPECT_TRUE(std::isinf(outputs.noise()));
}

// An empty batch says nothing.
TEST(MeasuredOutputsTest, OutputsWithoutElementsHaveNoError) {
  MeasuredOutputs outputs(/*has_labels=*/false);
  outputs.AddFloat(0, Named(at::ones({0, 3})));
  outputs.Begin();
  NS_ASSERT_OK(outputs.Compare(0, Named(at::ones({0, 3}))));
  EXPECT_EQ(outputs.noise(), 0);
}

TEST(MeasuredOutputsTest, RefusesMissingOutputs) {
  MeasuredOutputs outputs(/*has_labels=*/false);
  const at::Tensor x = at::ones({2});
  outputs.AddFloat(0, {{"output[0]", x}, {"output[1]", x}});
  EXPECT_THAT(outputs.Compare(0, {{"output[0]", x}}).message(),
              HasSubstr("1 tensors of floats"));
}

TEST(MeasuredOutputsTest, NanScoresAreNeverRight) {
  MeasuredOutputs outputs(/*has_labels=*/true);
  NS_ASSERT_OK(outputs.AddLabels(0, Named(Scores({{1, 0}, {0, 1}})),
                                 at::tensor(std::vector<int64_t>{0, 1})));
  outputs.Begin();
  NS_ASSERT_OK(outputs.Compare(
      0, Named(Scores({{static_cast<float>(kNan), 0}, {0, 1}}))));
  EXPECT_EQ(outputs.top1().quantized_correct, 1);
  EXPECT_EQ(outputs.top1().lost, 1);
}

// As LoadLabels does not give them, but a caller may.
TEST(MeasuredOutputsTest, LabelsMayHaveAColumn) {
  MeasuredOutputs outputs(/*has_labels=*/true);
  const NamedTensors scores = Named(Scores({{1, 0}, {0, 1}, {0, 1}}));
  NS_ASSERT_OK(outputs.AddLabels(
      0, scores, at::tensor(std::vector<int64_t>{0, 1, 0}).unsqueeze(1)));
  outputs.Begin();
  NS_ASSERT_OK(outputs.Compare(0, scores));
  EXPECT_EQ(outputs.top1().samples, 3);
  EXPECT_EQ(outputs.top1().float_correct, 2);
  EXPECT_EQ(outputs.top1().quantized_correct, 2);
}

TEST(MeasuredOutputsTest, RefusesScoresThatAreMissingOrOfAnotherShape) {
  MeasuredOutputs outputs(/*has_labels=*/true);
  NS_ASSERT_OK(outputs.AddLabels(0, Named(Scores({{1, 0}, {0, 1}})),
                                 at::tensor(std::vector<int64_t>{0, 1})));
  EXPECT_THAT(outputs.Compare(0, {}).message(), HasSubstr("no scores"));
  EXPECT_THAT(outputs.Compare(0, Named(Scores({{1, 0}}))).message(),
              HasSubstr("another shape"));
}

TEST(MeasuredOutputsTest, CountsWhatEachModelHasRight) {
  MeasuredOutputs outputs(/*has_labels=*/true);
  // Right, right, wrong.
  NS_ASSERT_OK(outputs.AddLabels(0, Named(Scores({{1, 0}, {0, 1}, {1, 0}})),
                                 at::tensor(std::vector<int64_t>{0, 1, 1})));
  outputs.Begin();
  // Right, wrong, right.
  NS_ASSERT_OK(outputs.Compare(0, Named(Scores({{1, 0}, {1, 0}, {0, 1}}))));
  const PairedCounts& top1 = outputs.top1();
  EXPECT_EQ(top1.samples, 3);
  EXPECT_EQ(top1.float_correct, 2);
  EXPECT_EQ(top1.quantized_correct, 2);
  EXPECT_EQ(top1.lost, 1);
  EXPECT_EQ(top1.won, 1);
}

TEST(MeasuredOutputsTest, RefusesLabelsThatDoNotFit) {
  MeasuredOutputs outputs(/*has_labels=*/true);
  const NamedTensors scores = Named(Scores({{1, 0}, {0, 1}}));
  const auto refused = [&](const NamedTensors& tensors,
                           const std::vector<int64_t>& labels) {
    return std::string(
        outputs.AddLabels(0, tensors, at::tensor(labels)).message());
  };
  EXPECT_THAT(refused(scores, {0, 1, 0}),
              HasSubstr("has 3 labels for 2 samples"));
  EXPECT_THAT(refused(scores, {0, 2}), HasSubstr("not from 0 to 1"));
  EXPECT_THAT(refused(scores, {-1, 0}), HasSubstr("not from 0 to 1"));
  EXPECT_THAT(refused(Named(at::ones({2, 2, 2})), {0, 0}),
              HasSubstr("returns [2, 2, 2]"));
  EXPECT_THAT(refused({}, {0}), HasSubstr("returns no scores"));
  EXPECT_THAT(outputs.AddLabels(0, scores, at::ones({2})).message(),
              HasSubstr("no tensor of integers"));
}

}  // namespace
}  // namespace ns
