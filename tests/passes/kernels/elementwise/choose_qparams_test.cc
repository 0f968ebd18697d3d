#include "passes/kernels/elementwise/choose_qparams.h"

#include <cmath>
#include <limits>
#include <random>

#include "gtest/gtest.h"

namespace ns::kernels {
namespace {

TEST(ChooseQuantizationParamsTest, ReachesFromMinToMax) {
  EXPECT_EQ(ChooseQuantizationParams(-1.0f, 1.0f, false),
            (QParams{2.0f / 255, 127}));
  EXPECT_EQ(ChooseQuantizationParams(-1.0f, 1.0f, true),
            (QParams{2.0f / 127, 64}));
  EXPECT_EQ(ChooseQuantizationParams(-1.0f, 3.0f, false),
            (QParams{4.0f / 255, 64}));
}

TEST(ChooseQuantizationParamsTest, ExtendsRangesToZero) {
  EXPECT_EQ(ChooseQuantizationParams(2.0f, 25.5f, false), (QParams{0.1f, 0}));
  EXPECT_EQ(ChooseQuantizationParams(-25.5f, -2.0f, false),
            (QParams{0.1f, 255}));
  EXPECT_EQ(ChooseQuantizationParams(-12.7f, -2.0f, true),
            (QParams{0.1f, 127}));
}

TEST(ChooseQuantizationParamsTest, EmptyRangeHasScaleOfOneTenth) {
  EXPECT_EQ(ChooseQuantizationParams(0.0f, 0.0f, false), (QParams{0.1f, 0}));
  EXPECT_EQ(ChooseQuantizationParams(-0.0f, 0.0f, true), (QParams{0.1f, 0}));
}

TEST(ChooseQuantizationParamsTest, ScalesWithoutReciprocalAreOneTenth) {
  const float tiny = std::numeric_limits<float>::denorm_min() * 1000;
  EXPECT_EQ(ChooseQuantizationParams(0.0f, tiny, false), (QParams{0.1f, 0}));
}

TEST(ChooseQuantizationParamsTest, SmallScalesAreCutOff) {
  EXPECT_EQ(ChooseQuantizationParams(0.0f, 1e-4f, false),
            (QParams{6.1e-5f, 0}));
  EXPECT_EQ(ChooseQuantizationParams(-1e-4f, 0.0f, false),
            (QParams{6.1e-5f, 255}));
  // The proportion of both sides stays.
  EXPECT_EQ(ChooseQuantizationParams(-1e-4f, 3e-4f, false),
            (QParams{6.1e-5f, 64}));
}

TEST(ChooseQuantizationParamsTest, ZeroPointTieGoesToEven) {
  // 127.5 and 63.5.
  EXPECT_EQ(ChooseQuantizationParams(-63.75f, 63.75f, false),
            (QParams{0.5f, 128}));
  EXPECT_EQ(ChooseQuantizationParams(-31.75f, 31.75f, true),
            (QParams{0.5f, 64}));
}

TEST(ChooseQuantizationParamsTest, ZeroPointIsCodeNearestToZero) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> uniform(-10.0f, 10.0f);
  for (int i = 0; i < 10000; ++i) {
    const float a = uniform(random);
    const float b = uniform(random);
    const bool reduce_range = i % 2 == 0;
    const double steps = reduce_range ? 127 : 255;
    const QParams qparams = ChooseQuantizationParams(
        std::fmin(a, b), std::fmax(a, b), reduce_range);
    const double low = std::fmin(std::fmin(a, b), 0.0f);
    const double high = std::fmax(std::fmax(a, b), 0.0f);
    EXPECT_FLOAT_EQ(qparams.scale, static_cast<float>((high - low) / steps));
    EXPECT_GE(qparams.zero_point, 0);
    EXPECT_LE(qparams.zero_point, steps);
    EXPECT_NEAR(qparams.zero_point, -low / qparams.scale, 0.5001);
  }
}

TEST(ChooseQuantizationParamsTest, RangesThatAreNotFiniteAreDefined) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(ChooseQuantizationParams(-kInf, kInf, false), (QParams{kInf, 0}));
  EXPECT_EQ(ChooseQuantizationParams(0.0f, kInf, false).scale, kInf);
  const QParams nan = ChooseQuantizationParams(std::nanf(""), 1.0f, false);
  EXPECT_TRUE(std::isnan(nan.scale));
  EXPECT_EQ(nan.zero_point, 0);
  constexpr float kMax = std::numeric_limits<float>::max();
  EXPECT_EQ(ChooseQuantizationParams(-kMax, kMax, false).zero_point, 128);
}

}  // namespace
}  // namespace ns::kernels
