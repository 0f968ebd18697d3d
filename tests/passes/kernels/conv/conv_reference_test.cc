#include <vector>

#include "gtest/gtest.h"
#include "passes/kernels/conv/conv.h"
#include "tests/passes/kernels/conv/random_conv.h"

namespace ns::kernels {
namespace {

// Sums, not corrected for zero points, of one image.
std::vector<int32_t> Sums(const ConvShape& shape, const Dims& size,
                          const std::vector<uint8_t>& input,
                          const std::vector<int8_t>& weights,
                          SaturationMode mode, uint8_t zero_point = 0) {
  const std::vector<float> scales = {1};
  OutputSpec spec;
  spec.type = OutputType::kS32;
  spec.activation_zero_point = zero_point;
  spec.weight_scales = scales;
  const std::vector<int32_t> no_sums(shape.out_channels);
  const OutputPlan plan = PlanOutput(spec, no_sums, 0);
  const Dims outputs = ConvOutput(shape, size);
  std::vector<int32_t> out(outputs[0] * outputs[1] * outputs[2] *
                           shape.out_channels);
  ConvReference(input.data(), 1, size, shape, weights.data(), mode, plan,
                out.data());
  return out;
}

TEST(ConvReferenceTest, SlidesTheKernel) {
  ConvShape shape;
  shape.kernel = {1, 2, 2};
  EXPECT_EQ(Sums(shape, {1, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9},
                 {1, 10, 100, -1}, SaturationMode::kExact),
            std::vector<int32_t>({1 + 20 + 400 - 5, 2 + 30 + 500 - 6,
                                  4 + 50 + 700 - 8, 5 + 60 + 800 - 9}));
}

TEST(ConvReferenceTest, PadsWithTheZeroPoint) {
  ConvShape shape;
  shape.kernel = {1, 1, 3};
  shape.padding = {0, 0, 1};
  shape.stride = {1, 1, 2};
  EXPECT_EQ(Sums(shape, {1, 1, 3}, {1, 2, 3}, {1, 10, 100},
                 SaturationMode::kExact, 7),
            std::vector<int32_t>({7 + 10 + 200, 2 + 30 + 700}));
}

TEST(ConvReferenceTest, SkipsInputsWhenDilated) {
  ConvShape shape;
  shape.kernel = {2, 1, 2};
  shape.dilation = {1, 1, 2};
  EXPECT_EQ(Sums(shape, {2, 1, 3}, {1, 2, 3, 4, 5, 6}, {1, 10, 20, 30},
                 SaturationMode::kExact),
            std::vector<int32_t>({1 + 30 + 80 + 180}));
}

TEST(ConvReferenceTest, KeepsGroupsApart) {
  ConvShape shape;
  shape.groups = 2;
  shape.in_channels = 4;
  shape.out_channels = 4;
  EXPECT_EQ(Sums(shape, {1, 1, 1}, {1, 2, 3, 4}, {1, 10, 2, 20, 3, 30, 4, 40},
                 SaturationMode::kExact),
            std::vector<int32_t>({21, 42, 129, 172}));
}

// A transposed convolution as it is defined: each input adds the kernel, scaled
// by it, to the outputs.
std::vector<int32_t> ScatteredSums(const ConvCase& conv) {
  const ConvShape& shape = conv.shape;
  const Dims outputs = ConvOutput(shape, conv.size);
  const int64_t group_inputs = shape.in_channels / shape.groups;
  const int64_t group_outputs = shape.out_channels / shape.groups;
  std::vector<int32_t> sums(conv.Outputs() / conv.batch);
  const auto scatter = [&](int64_t pixel, int64_t input, int64_t tap,
                           const Dims& at) {
    for (int i = 0; i < 3; ++i) {
      if (at[i] < 0 || at[i] >= outputs[i]) {
        return;
      }
    }
    const int64_t out_pixel = (at[0] * outputs[1] + at[1]) * outputs[2] + at[2];
    for (int64_t o = 0; o < group_outputs; ++o) {
      sums[out_pixel * shape.out_channels +
           input / group_inputs * group_outputs + o] +=
          conv.input.data()[pixel * shape.in_channels + input] *
          conv.weights[(input * group_outputs + o) * shape.kernel[0] *
                           shape.kernel[1] * shape.kernel[2] +
                       tap];
    }
  };
  for (int64_t pixel = 0; pixel < conv.size[0] * conv.size[1] * conv.size[2];
       ++pixel) {
    const Dims from = {pixel / (conv.size[1] * conv.size[2]),
                       pixel / conv.size[2] % conv.size[1],
                       pixel % conv.size[2]};
    for (int64_t tap = 0;
         tap < shape.kernel[0] * shape.kernel[1] * shape.kernel[2]; ++tap) {
      const Dims position = {tap / (shape.kernel[1] * shape.kernel[2]),
                             tap / shape.kernel[2] % shape.kernel[1],
                             tap % shape.kernel[2]};
      Dims at;
      for (int i = 0; i < 3; ++i) {
        at[i] = from[i] * shape.stride[i] - shape.padding[i] +
                position[i] * shape.dilation[i];
      }
      for (int64_t input = 0; input < shape.in_channels; ++input) {
        scatter(pixel, input, tap, at);
      }
    }
  }
  return sums;
}

TEST(ConvReferenceTest, ScattersInputsWhenTransposed) {
  int transposed = 0;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    const auto conv = RandomConv(seed);
    if (!conv->shape.transposed || conv->batch == 0) {
      continue;
    }
    ++transposed;
    SCOPED_TRACE(conv->Describe());
    const std::vector<uint8_t> image(
        conv->input.data(),
        conv->input.data() + conv->input.size() / conv->batch);
    EXPECT_EQ(Sums(conv->shape, conv->size, image, conv->weights,
                   SaturationMode::kExact),
              ScatteredSums(*conv));
  }
  EXPECT_GT(transposed, 100);
}

TEST(ConvReferenceTest, SaturatesPairsOfChannelsAcrossKernelPositions) {
  ConvShape shape;
  shape.in_channels = 3;
  shape.kernel = {1, 1, 2};
  const std::vector<uint8_t> input(6, 255);
  // [channel][position]; k is 127 127 | 0, 127 127 | 127 by position.
  const std::vector<int8_t> weights = {127, 127, 127, 127, 0, 127};
  // Pairs (127, 127), (0, 127), (127, 127).
  EXPECT_EQ(Sums(shape, {1, 1, 2}, input, weights, SaturationMode::kFbgemmAvx2),
            std::vector<int32_t>({32767 + 255 * 127 + 32767}));
  EXPECT_EQ(Sums(shape, {1, 1, 2}, input, weights, SaturationMode::kFbgemmVnni),
            std::vector<int32_t>({5 * 255 * 127}));
}

TEST(ConvReferenceTest, SaturatesDepthwisePairsOfKernelPositions) {
  ConvShape shape;
  shape.groups = 8;
  shape.in_channels = 8;
  shape.out_channels = 8;
  shape.kernel = {1, 3, 3};
  shape.padding = {0, 1, 1};
  const std::vector<uint8_t> input(8, 255);
  const std::vector<int8_t> weights(8 * 9, -128);
  // All but the middle are padding, of code 255: pairs of -65280, and a last
  // one of its own.
  EXPECT_EQ(
      Sums(shape, {1, 1, 1}, input, weights, SaturationMode::kFbgemmVnni, 255),
      std::vector<int32_t>(8, 4 * -32768 + 255 * -128));
  EXPECT_EQ(Sums(shape, {1, 1, 1}, input, weights, SaturationMode::kExact, 255),
            std::vector<int32_t>(8, 9 * 255 * -128));
}

}  // namespace
}  // namespace ns::kernels
