#include "passes/kernels/conv/band_weights.h"

#include <vector>

#include "gtest/gtest.h"

namespace ns::kernels {
namespace {

ConvShape Filter(int64_t kernel, int64_t stride) {
  ConvShape shape;
  shape.kernel = {1, 1, kernel};
  shape.stride = {1, 1, stride};
  return shape;
}

TEST(BandWeightsTest, TakesFewOutputChannels) {
  ConvShape shape = Filter(9, 1);
  EXPECT_TRUE(BandWeights::Takes(shape));
  shape.in_channels = 3;
  shape.out_channels = 8;
  EXPECT_TRUE(BandWeights::Takes(shape));
  shape.out_channels = 9;
  EXPECT_FALSE(BandWeights::Takes(shape));
}

TEST(BandWeightsTest, LeavesPixelsThatShareNoInputs) {
  EXPECT_TRUE(BandWeights::Takes(Filter(128, 64)));
  EXPECT_FALSE(BandWeights::Takes(Filter(128, 128)));
}

TEST(BandWeightsTest, TakesPixelsOfFewInputs) {
  ConvShape shape = Filter(1, 1);
  EXPECT_TRUE(BandWeights::Takes(shape));
  shape.in_channels = 128;
  EXPECT_FALSE(BandWeights::Takes(shape));
}

TEST(BandWeightsTest, LeavesDilatedRows) {
  ConvShape shape = Filter(9, 1);
  shape.dilation[2] = 2;
  EXPECT_FALSE(BandWeights::Takes(shape));
}

TEST(BandWeightsTest, TakesDilatedColumns) {
  ConvShape shape = Filter(9, 1);
  shape.kernel[1] = 3;
  shape.dilation[1] = 2;
  EXPECT_TRUE(BandWeights::Takes(shape));
}

TEST(BandWeightsTest, LeavesTransposedConvolutions) {
  ConvShape shape = Filter(9, 1);
  shape.transposed = true;
  EXPECT_FALSE(BandWeights::Takes(shape));
}

TEST(BandWeightsTest, LeavesGroups) {
  ConvShape shape = Filter(9, 1);
  shape.groups = 2;
  shape.in_channels = 2;
  shape.out_channels = 2;
  EXPECT_FALSE(BandWeights::Takes(shape));
}

TEST(BandWeightsTest, AreFasterForLongRows) {
  const std::vector<int8_t> weights(602, 1);
  const BandWeights bands(Filter(602, 1), weights.data());
  EXPECT_TRUE(bands.AreFaster(1, {1, 1, 15399}));
  EXPECT_TRUE(bands.AreFaster(51, {1, 1, 384}));
}

TEST(BandWeightsTest, AreSlowerForRowsOfFewPixels) {
  const std::vector<int8_t> weights(602, 1);
  const BandWeights bands(Filter(602, 1), weights.data());
  EXPECT_FALSE(bands.AreFaster(51, {1, 8, 1}));
}

TEST(BandWeightsTest, AreSlowerForSmallOutputs) {
  const std::vector<int8_t> weights(5, 1);
  const BandWeights bands(Filter(5, 1), weights.data());
  EXPECT_FALSE(bands.AreFaster(1, {1, 1, 16}));
  EXPECT_TRUE(bands.AreFaster(100, {1, 1, 16}));
}

TEST(BandWeightsTest, MakesAConvolutionOfBands) {
  ConvShape shape = Filter(9, 2);
  shape.out_channels = 5;
  const std::vector<int8_t> weights(5 * 9, 1);
  const BandWeights bands(shape, weights.data());
  EXPECT_EQ(bands.pixels(), 3);
  EXPECT_EQ(bands.shape().out_channels, 3 * 5);
  EXPECT_EQ(bands.shape().kernel, (Dims{1, 1, 9 + 2 * 2}));
  EXPECT_EQ(bands.shape().stride, (Dims{1, 1, 3 * 2}));
}

TEST(BandWeightsTest, HasTheWeightsOfEachPixel) {
  ConvShape shape = Filter(3, 1);
  shape.in_channels = 2;
  shape.out_channels = 8;
  std::vector<int8_t> weights(8 * 2 * 3);
  for (int channel = 0; channel < 8; ++channel) {
    weights[channel * 6] = static_cast<int8_t>(channel);
  }
  const BandWeights bands(shape, weights.data());
  const auto sums = bands.weights().matrix(0).column_sums();
  EXPECT_EQ(
      std::vector<int32_t>(sums.begin(), sums.end()),
      (std::vector<int32_t>{0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(BandWeightsTest, PlansEachPixelAlike) {
  ConvShape shape = Filter(2, 1);
  shape.out_channels = 7;
  const std::vector<int8_t> weights(7 * 2, 1);
  OutputPlan plan;
  plan.channels = 7;
  plan.start = {1, 2, 3, 4, 5, 6, 7};
  plan.addend = {.1f, .2f, .3f, .4f, .5f, .6f, .7f};
  plan.multiplier = {1, 2, 3, 4, 5, 6, 7};
  plan.output_zero_point = 9;
  const OutputPlan bands = BandWeights(shape, weights.data()).PlanBands(plan);
  EXPECT_EQ(bands.channels, 14);
  EXPECT_EQ(bands.start,
            (std::vector<int32_t>{1, 2, 3, 4, 5, 6, 7, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(bands.addend.size(), 14u);
  EXPECT_EQ(bands.addend[8], .2f);
  EXPECT_EQ(bands.multiplier.size(), 14u);
  EXPECT_EQ(bands.multiplier[13], 7);
  EXPECT_EQ(bands.output_zero_point, 9);
}

}  // namespace
}  // namespace ns::kernels
