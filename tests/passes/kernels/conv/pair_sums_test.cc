#include "passes/kernels/conv/pair_sums.h"

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "passes/kernels/conv/conv.h"
#include "passes/kernels/conv/conv_saturation.h"
#include "tests/passes/kernels/conv/random_conv.h"

namespace ns::kernels {
namespace {

using Weights = std::vector<int8_t>;

int64_t WeightCount(const ConvShape& shape) {
  return shape.in_channels / shape.groups * shape.out_channels *
         shape.kernel[0] * shape.kernel[1] * shape.kernel[2];
}

void NoThreads(int64_t count, int64_t /*grain*/, Tasks tasks) {
  tasks(0, count);
}

// Sums, not corrected for zero points, of one image.
std::vector<int32_t> Sums(const ConvShape& shape, const Dims& size,
                          const std::vector<uint8_t>& input,
                          const Weights& weights, SaturationMode mode,
                          uint8_t zero_point) {
  const std::vector<float> scales = {1};
  OutputSpec spec;
  spec.type = OutputType::kS32;
  spec.activation_zero_point = zero_point;
  spec.weight_scales = scales;
  const OutputPlan plan =
      PlanOutput(spec, std::vector<int32_t>(shape.out_channels), 0);
  const Dims outputs = ConvOutput(shape, size);
  std::vector<int32_t> out(outputs[0] * outputs[1] * outputs[2] *
                           shape.out_channels);
  const PackedConv conv(shape, weights.data(), mode);
  Conv(input.data(), 1, size, conv, plan, out.data(), NoThreads);
  return out;
}

// How many channels there are in which an output saturates for some input of
// codes 0 and 255 and some zero point of the two. Sums are linear in each code:
// others lie between.
int64_t CountByBruteForce(const ConvShape& shape, const Dims& size,
                          const Weights& weights, SaturationMode mode) {
  const int64_t inputs = size[0] * size[1] * size[2] * shape.in_channels;
  std::vector<bool> saturates(shape.out_channels);
  for (int64_t bits = 0; bits < int64_t{1} << inputs; ++bits) {
    std::vector<uint8_t> input(inputs);
    for (int64_t i = 0; i < inputs; ++i) {
      input[i] = bits >> i & 1 ? 255 : 0;
    }
    for (const uint8_t zero_point : {0, 255}) {
      const std::vector<int32_t> sums =
          Sums(shape, size, input, weights, mode, zero_point);
      const std::vector<int32_t> exact =
          Sums(shape, size, input, weights, SaturationMode::kExact, zero_point);
      for (size_t i = 0; i < sums.size(); ++i) {
        if (sums[i] != exact[i]) {
          saturates[i % shape.out_channels] = true;
        }
      }
    }
  }
  return std::count(saturates.begin(), saturates.end(), true);
}

// Weights around the magnitudes at which pairs begin to saturate.
Weights RandomWeights(const ConvShape& shape, std::mt19937& random) {
  Weights weights(WeightCount(shape));
  for (int8_t& weight : weights) {
    weight = static_cast<int8_t>(
        std::uniform_int_distribution<int>(-85, 85)(random));
  }
  return weights;
}

void ExpectAsByBruteForce(const ConvShape& shape, const Dims& size,
                          SaturationMode mode, int rounds) {
  std::mt19937 random(7);
  int64_t leaving = 0;
  int64_t staying = 0;
  for (int round = 0; round < rounds; ++round) {
    const Weights weights = RandomWeights(shape, random);
    const PairSumBounds bounds = BoundPairSums(shape, weights.data());
    EXPECT_EQ(bounds.channels, shape.out_channels);
    EXPECT_EQ(bounds.leaving_channels,
              CountByBruteForce(shape, size, weights, mode));
    leaving += bounds.leaving_channels;
    staying += bounds.channels - bounds.leaving_channels;
  }
  // Both kinds were met.
  EXPECT_GT(leaving, 0);
  EXPECT_GT(staying, 0);
}

TEST(BoundPairSumsTest, CountsAsBruteForceInLinearLayers) {
  ConvShape shape;
  shape.in_channels = 7;
  shape.out_channels = 40;
  ExpectAsByBruteForce(shape, {1, 1, 1}, SaturationMode::kFbgemmAvx2, 4);
}

TEST(BoundPairSumsTest, CountsAsBruteForceInConvolutionsOfOddChannels) {
  ConvShape shape;
  shape.in_channels = 3;
  shape.out_channels = 20;
  shape.kernel = {1, 1, 3};
  ExpectAsByBruteForce(shape, {1, 1, 3}, SaturationMode::kFbgemmAvx2, 2);
  shape.kernel = {1, 3, 1};
  ExpectAsByBruteForce(shape, {1, 3, 1}, SaturationMode::kFbgemmAvx2, 2);
}

TEST(BoundPairSumsTest, CountsAsBruteForceInGroups) {
  ConvShape shape;
  shape.groups = 2;
  shape.in_channels = 6;
  shape.out_channels = 40;
  ExpectAsByBruteForce(shape, {1, 1, 1}, SaturationMode::kFbgemmAvx2, 4);
  shape.in_channels = 4;
  shape.out_channels = 8;
  shape.kernel = {1, 1, 2};
  ExpectAsByBruteForce(shape, {1, 1, 2}, SaturationMode::kFbgemmAvx2, 8);
}

TEST(BoundPairSumsTest, CountsAsBruteForceWhenDilatedAndPadded) {
  ConvShape shape;
  shape.in_channels = 1;
  shape.out_channels = 40;
  shape.kernel = {1, 1, 4};
  shape.dilation = {1, 1, 2};
  shape.padding = {0, 0, 2};
  ExpectAsByBruteForce(shape, {1, 1, 8}, SaturationMode::kFbgemmAvx2, 2);
}

// Neighbouring taps never meet two inputs there.
TEST(BoundPairSumsTest, CountsAsBruteForceInTransposedConvolutions) {
  ConvShape shape;
  shape.transposed = true;
  shape.in_channels = 2;
  shape.out_channels = 12;
  shape.kernel = {1, 1, 3};
  shape.stride = {1, 1, 2};
  ExpectAsByBruteForce(shape, {1, 1, 4}, SaturationMode::kFbgemmAvx2, 4);
  shape.in_channels = 1;
  shape.out_channels = 20;
  shape.kernel = {1, 1, 4};
  ExpectAsByBruteForce(shape, {1, 1, 7}, SaturationMode::kFbgemmAvx2, 4);
  shape.in_channels = 4;
  shape.groups = 2;
  shape.kernel = {1, 1, 2};
  ExpectAsByBruteForce(shape, {1, 1, 2}, SaturationMode::kFbgemmAvx2, 4);
}

// The nine taps of each channel pair up, on all machines.
TEST(BoundPairSumsTest, CountsAsBruteForceInDepthwiseConvolutions) {
  ConvShape shape;
  shape.groups = shape.in_channels = shape.out_channels = 8;
  shape.kernel = {1, 3, 3};
  shape.padding = {0, 1, 1};
  ASSERT_TRUE(IsFbgemmDepthwise(shape));
  std::mt19937 random(7);
  int64_t leaving = 0;
  for (int round = 0; round < 12; ++round) {
    const Weights weights = RandomWeights(shape, random);
    // Channels do not meet: each is tried as if it were alone.
    std::vector<bool> saturates(8);
    for (int bits = 0; bits < 512; ++bits) {
      std::vector<uint8_t> input(9 * 8);
      for (int i = 0; i < 9 * 8; ++i) {
        input[i] = bits >> i / 8 & 1 ? 255 : 0;
      }
      const auto sums = Sums(shape, {1, 3, 3}, input, weights,
                             SaturationMode::kFbgemmVnni, 0);
      const auto exact =
          Sums(shape, {1, 3, 3}, input, weights, SaturationMode::kExact, 0);
      for (size_t i = 0; i < sums.size(); ++i) {
        if (sums[i] != exact[i]) {
          saturates[i % 8] = true;
        }
      }
    }
    const PairSumBounds bounds = BoundPairSums(shape, weights.data());
    EXPECT_EQ(bounds.leaving_channels,
              std::count(saturates.begin(), saturates.end(), true));
    leaving += bounds.leaving_channels;
  }
  EXPECT_GT(leaving, 0);
  EXPECT_LT(leaving, 12 * 8);
}

// What the bounds rule out occurs in no convolution of any kind.
TEST(BoundPairSumsTest, RulesOutOnlyWhatNoKernelDoes) {
  int64_t ruled_out = 0;
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    const auto conv = RandomConv(seed);
    for (int8_t& weight : conv->weights) {
      weight = static_cast<int8_t>(weight / 2 - weight / 128);
    }
    if (BoundPairSums(conv->shape, conv->weights.data()).leaving_channels > 0) {
      continue;
    }
    ++ruled_out;
    for (int64_t i = 0; i < conv->input.size(); ++i) {
      conv->input.data()[i] = conv->input.data()[i] < 128 ? 0 : 255;
    }
    conv->spec.type = OutputType::kS32;
    conv->mode = SaturationMode::kFbgemmAvx2;
    const ExactBytes sums = ReferenceOutputs(*conv);
    conv->mode = SaturationMode::kExact;
    const ExactBytes exact = ReferenceOutputs(*conv);
    EXPECT_EQ(std::memcmp(sums.data(), exact.data(), exact.size()), 0)
        << conv->Describe();
  }
  EXPECT_GT(ruled_out, 1000);
}

TEST(BoundPairSumsTest, TellsTheWorstPairSum) {
  ConvShape shape;
  shape.in_channels = 4;
  shape.out_channels = 2;
  const Weights weights = {127, 127, -1, 0, -128, -128, 2, 3};
  const PairSumBounds bounds = BoundPairSums(shape, weights.data());
  EXPECT_EQ(bounds.highest, 255 * 254);
  EXPECT_EQ(bounds.lowest, 255 * -256);
  EXPECT_EQ(bounds.Worst(), 255 * -256);
  EXPECT_EQ(bounds.leaving_channels, 2);
}

TEST(BoundPairSumsTest, NoPairLeavesWithWeightsOfReducedRange) {
  ConvShape shape;
  shape.in_channels = 6;
  const PairSumBounds bounds =
      BoundPairSums(shape, Weights({63, 63, -64, -64, 64, 64}).data());
  EXPECT_EQ(bounds.highest, 32640);
  EXPECT_EQ(bounds.lowest, -32640);
  EXPECT_EQ(bounds.leaving_channels, 0);
}

TEST(BoundPairSumsTest, ALastWeightWithoutANeighbourNeverLeaves) {
  ConvShape shape;
  shape.in_channels = 3;
  shape.out_channels = 2;
  const PairSumBounds bounds =
      BoundPairSums(shape, Weights({0, 0, -128, 1, 1, 127}).data());
  EXPECT_EQ(bounds.lowest, -32640);
  EXPECT_EQ(bounds.highest, 32385);
  EXPECT_EQ(bounds.leaving_channels, 0);
}

TEST(BoundPairSumsTest, CodesOfSevenBitsNeverLeave) {
  ConvShape shape;
  shape.in_channels = 4;
  const Weights weights = {127, 127, -128, -128};
  EXPECT_EQ(BoundPairSums(shape, weights.data(), 127).leaving_channels, 0);
  EXPECT_EQ(BoundPairSums(shape, weights.data(), 128).leaving_channels, 0);
  EXPECT_EQ(BoundPairSums(shape, weights.data(), 129).leaving_channels, 1);
}

TEST(BoundPairSumsTest, NothingLeavesWithoutWeights) {
  ConvShape shape;
  shape.in_channels = 0;
  EXPECT_EQ(BoundPairSums(shape, nullptr).leaving_channels, 0);
  EXPECT_EQ(BoundPairSums(shape, nullptr).Worst(), 0);
}

}  // namespace
}  // namespace ns::kernels
