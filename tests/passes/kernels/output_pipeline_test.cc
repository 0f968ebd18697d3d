#include "passes/kernels/output_pipeline.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace ns::kernels {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr int32_t kIntMin = std::numeric_limits<int32_t>::min();
constexpr int32_t kIntMax = std::numeric_limits<int32_t>::max();

int32_t Clamp(int32_t value, int32_t low, int32_t high) {
  return value < low ? low : (value > high ? high : value);
}

// halves / 2, ties to even, by integers only.
int32_t HalfToEven(int32_t halves) {
  const int32_t floor = (halves - (halves % 2 != 0 && halves < 0 ? 1 : 0)) / 2;
  return halves % 2 == 0 ? floor : floor + (floor % 2 != 0 ? 1 : 0);
}

// The output of one channel of weights without zero points.
template <typename T>
T Write(const OutputSpec& spec, int32_t sum, int32_t column_sum = 0,
        int64_t k = 0, int32_t row_sum = 0) {
  const std::vector<int32_t> column_sums = {column_sum};
  const OutputPlan plan = PlanOutput(spec, column_sums, k);
  T out = 0;
  WriteOutput(ViewOutput(plan, 0), 0, sum, row_sum, &out, 0);
  return out;
}

TEST(RoundToInt32Test, RoundsTiesToEven) {
  EXPECT_EQ(RoundToInt32(0.5f), 0);
  EXPECT_EQ(RoundToInt32(1.5f), 2);
  EXPECT_EQ(RoundToInt32(2.5f), 2);
  EXPECT_EQ(RoundToInt32(-0.5f), 0);
  EXPECT_EQ(RoundToInt32(-1.5f), -2);
  EXPECT_EQ(RoundToInt32(std::nextafter(0.5f, 1.0f)), 1);
  EXPECT_EQ(RoundToInt32(8388607.5f), 8388608);
}

TEST(RoundToInt32Test, GivesIntMinForWhatDoesNotFit) {
  EXPECT_EQ(RoundToInt32(2147483520.0f), 2147483520);
  EXPECT_EQ(RoundToInt32(2147483648.0f), kIntMin);
  EXPECT_EQ(RoundToInt32(-2147483648.0f), kIntMin);
  EXPECT_EQ(RoundToInt32(-2147483904.0f), kIntMin);
  EXPECT_EQ(RoundToInt32(kInfinity), kIntMin);
  EXPECT_EQ(RoundToInt32(-kInfinity), kIntMin);
  EXPECT_EQ(RoundToInt32(kNan), kIntMin);
}

TEST(RequantizeTest, RoundsEachTieToEvenAndThenAddsTheZeroPoint) {
  for (int32_t zero_point = 0; zero_point <= 255; ++zero_point) {
    for (int32_t sum = -1100; sum <= 1100; ++sum) {
      const float x = static_cast<float>(sum);
      const int32_t rounded = HalfToEven(sum);
      ASSERT_EQ(Requantize(x, 0.5f, zero_point, OutputType::kU8),
                Clamp(rounded + zero_point, 0, 255))
          << sum << " " << zero_point;
      ASSERT_EQ(Requantize(x, 0.5f, zero_point - 128, OutputType::kS8),
                Clamp(rounded + zero_point - 128, -128, 127))
          << sum << " " << zero_point;
    }
  }
}

TEST(RequantizeTest, RoundsNeighboursOfTiesToTheNearest) {
  for (int32_t code = 0; code < 255; ++code) {
    const float tie = static_cast<float>(code) + 0.5f;
    EXPECT_EQ(Requantize(std::nextafter(tie, 0.0f), 1, 0, OutputType::kU8),
              code);
    EXPECT_EQ(Requantize(std::nextafter(tie, 256.0f), 1, 0, OutputType::kU8),
              code + 1);
  }
}

TEST(RequantizeTest, TakesWhatS32CannotHoldForTheLeast) {
  for (const int32_t zero_point : {0, 128, 255}) {
    for (const float x : {2147483648.0f, 1e30f, kInfinity, -kInfinity, kNan}) {
      EXPECT_EQ(Requantize(x, 1, zero_point, OutputType::kU8), 0) << x;
    }
    // The product overflows, neither factor does.
    EXPECT_EQ(Requantize(1e30f, 1e30f, zero_point, OutputType::kU8), 0);
    EXPECT_EQ(Requantize(2147483520.0f, 1, zero_point, OutputType::kU8), 255);
  }
  EXPECT_EQ(Requantize(kNan, 1, 127, OutputType::kS8), -128);
  EXPECT_EQ(Requantize(kInfinity, 0, 127, OutputType::kS8), -128);
}

TEST(RequantizeTest, SaturatesTo16BitsBeforeTheZeroPointIsAdded) {
  EXPECT_EQ(Requantize(1e6f, 1, 255, OutputType::kU8), 255);
  EXPECT_EQ(Requantize(-1e6f, 1, 255, OutputType::kU8), 0);
  EXPECT_EQ(Requantize(32767, 1, 1, OutputType::kU8), 255);
  EXPECT_EQ(Requantize(-32768, 1, -128, OutputType::kS8), -128);
  // Seen only with a zero point that is no code: the sum would be 7231 and more
  // without.
  EXPECT_EQ(Requantize(1e9f, 1, -32767 + 100, OutputType::kU8), 100);
}

TEST(PlanOutputTest, DividesAFloatBiasByEachChannelsScale) {
  const std::vector<float> scales = {0.011f, 0.013f, 0.017f};
  const std::vector<float> bias = {0.3f, -1.7f, 23.0f};
  const std::vector<int32_t> column_sums = {1, 2, 3};
  OutputSpec spec;
  spec.activation_scale = 0.023f;
  spec.weight_scales = scales;
  spec.bias = bias;
  spec.output_scale = 0.19f;
  const OutputPlan plan = PlanOutput(spec, column_sums, 7);
  EXPECT_EQ(plan.addend_factor, 1.0f);
  for (int i = 0; i < 3; ++i) {
    const volatile float aw = 0.023f * scales[i];
    EXPECT_EQ(plan.addend[i], bias[i] / aw);
    EXPECT_EQ(plan.multiplier[i], aw / 0.19f);
  }
}

// The two ways to bring a bias to units of sums differ in some outputs: with
// one scale, fbgemm rounds bias * (1 / aw) + sum once.
TEST(PlanOutputTest, FusesAFloatBiasIntoTheSumWhenScalesAreOne) {
  std::mt19937 random(5);
  int fused_tells = 0;
  for (int i = 0; i < 100000; ++i) {
    const std::vector<float> scales = {
        std::ldexp(1 + static_cast<float>(random() % 1000) / 1000, -8)};
    const std::vector<float> bias = {
        static_cast<float>(static_cast<int>(random() % 20001) - 10000) / 999};
    OutputSpec spec;
    spec.activation_scale = 0.03f;
    spec.weight_scales = scales;
    spec.bias = bias;
    const int32_t sum = static_cast<int32_t>(random() % 4000000) - 2000000;
    spec.output_scale = std::fabs(static_cast<float>(sum)) / 80 *
                        spec.activation_scale * scales[0];
    spec.output_zero_point = 120;
    const volatile float aw = spec.activation_scale * scales[0];
    const float inverse = static_cast<float>(1.0 / aw);
    const float multiplier = aw / spec.output_scale;
    // Exact in double: one rounding remains.
    const float fused = static_cast<float>(
        static_cast<double>(bias[0]) * inverse + static_cast<float>(sum));
    const volatile float product = bias[0] * inverse;
    const float apart = product + static_cast<float>(sum);
    fused_tells += fused != apart;
    ASSERT_EQ(Write<uint8_t>(spec, sum),
              Requantize(fused, multiplier, 120, OutputType::kU8));
  }
  EXPECT_GT(fused_tells, 100);
}

TEST(PlanOutputTest, CorrectsSumsForZeroPointsAndQuantizedBias) {
  const std::vector<float> scales = {1};
  const std::vector<int32_t> zero_points = {-3, 5};
  const std::vector<int32_t> bias = {1000, -7};
  // Weights 1, 2 and -3, 4, activations 10 and 20.
  const std::vector<int32_t> column_sums = {3, 1};
  OutputSpec spec;
  spec.type = OutputType::kS32;
  spec.activation_zero_point = 15;
  spec.weight_scales = scales;
  spec.weight_zero_points = zero_points;
  spec.quantized_bias = bias;
  const OutputPlan plan = PlanOutput(spec, column_sums, 2);
  int32_t out[2];
  WriteOutput(ViewOutput(plan, 0), 0, 10 * 1 + 20 * 2, 30, out, 0);
  WriteOutput(ViewOutput(plan, 0), 1, 10 * -3 + 20 * 4, 30, out, 1);
  EXPECT_EQ(out[0], (10 - 15) * (1 + 3) + (20 - 15) * (2 + 3) + 1000);
  EXPECT_EQ(out[1], (10 - 15) * (-3 - 5) + (20 - 15) * (4 - 5) - 7);
}

TEST(PlanOutputTest, KeepsNoZeroPointsOfWeightsThatAreAllZero) {
  const std::vector<float> scales = {1};
  const std::vector<int32_t> zero_points = {0, 0};
  const std::vector<int32_t> column_sums = {3, 1};
  OutputSpec spec;
  spec.weight_scales = scales;
  spec.weight_zero_points = zero_points;
  EXPECT_TRUE(PlanOutput(spec, column_sums, 2).weight_zero_points.empty());
}

TEST(PlanOutputTest, WrapsSumsAround) {
  const std::vector<float> scales = {1};
  const std::vector<int32_t> bias = {kIntMax};
  OutputSpec spec;
  spec.type = OutputType::kS32;
  spec.weight_scales = scales;
  spec.quantized_bias = bias;
  EXPECT_EQ(Write<int32_t>(spec, 1), kIntMin);
}

TEST(WriteOutputTest, ClampsCodesToMinAndMax) {
  const std::vector<float> scales = {1};
  OutputSpec spec;
  spec.weight_scales = scales;
  spec.output_zero_point = 7;
  spec.min = 7;  // relu
  spec.max = 13;
  EXPECT_EQ(Write<uint8_t>(spec, -1), 7);
  EXPECT_EQ(Write<uint8_t>(spec, 0), 7);
  EXPECT_EQ(Write<uint8_t>(spec, 1), 8);
  EXPECT_EQ(Write<uint8_t>(spec, 6), 13);
  EXPECT_EQ(Write<uint8_t>(spec, 7), 13);
  spec.min = 1e30f;
  spec.max = kInfinity;
  EXPECT_EQ(Write<uint8_t>(spec, 1), 255);
  spec.min = -kInfinity;
  spec.max = -1e30f;
  EXPECT_EQ(Write<uint8_t>(spec, 1), 0);
}

TEST(WriteOutputTest, DequantizesWithOneRounding) {
  const std::vector<float> scales = {0.3f};
  const std::vector<float> bias = {-0.1f};
  OutputSpec spec;
  spec.type = OutputType::kF32;
  spec.activation_scale = 0.7f;
  spec.weight_scales = scales;
  spec.bias = bias;
  const volatile float aw = 0.7f * 0.3f;
  for (int32_t sum = -1000; sum <= 1000; ++sum) {
    ASSERT_EQ(Write<float>(spec, sum),
              static_cast<float>(static_cast<double>(aw) * sum - 0.1f));
  }
}

TEST(WriteOutputTest, ClampsRealsAndKeepsNan) {
  const std::vector<float> scales = {1};
  OutputSpec spec;
  spec.type = OutputType::kF32;
  spec.weight_scales = scales;
  spec.min = 0;
  spec.max = 6;
  EXPECT_EQ(Write<float>(spec, -5), 0);
  EXPECT_EQ(Write<float>(spec, 5), 5);
  EXPECT_EQ(Write<float>(spec, 7), 6);
  const std::vector<float> nan = {kNan};
  spec.weight_scales = nan;
  EXPECT_TRUE(std::isnan(Write<float>(spec, 1)));
}

TEST(WriteOutputTest, LeavesSumsOfS32AsTheyAre) {
  const std::vector<float> scales = {kNan};
  OutputSpec spec;
  spec.type = OutputType::kS32;
  spec.weight_scales = scales;
  spec.min = 0;
  spec.max = 1;
  EXPECT_EQ(Write<int32_t>(spec, -77), -77);
}

}  // namespace
}  // namespace ns::kernels
