#include "ns/search/noise_scale.h"

#include <cmath>
#include <limits>

#include "gtest/gtest.h"
#include "passes/runtime/noise/noise_rows.h"

namespace ns {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double ToDb(double noise) { return -10 * std::log10(noise); }
double ToNoise(double db) { return std::pow(10, -db / 10); }

TEST(NoiseScaleTest, LeavesPredictionsAsTheyAreByDefault) {
  EXPECT_EQ(NoiseScale().Expected(0.25), 0.25);
  EXPECT_EQ(NoiseScale().Expected(0), 0);
}

TEST(NoiseScaleTest, MeetsTheOneModelThatIsKnown) {
  for (const double measured : {1e-4, 0.01, 0.1, 0.3, 1.2}) {
    for (const double factor : {0.3, 0.8, 1.0, 2.0, 15.0}) {
      const NoiseScale scale(measured * factor, measured);
      EXPECT_NEAR(scale.Expected(measured * factor) / measured, 1, 1e-9)
          << measured << " " << factor;
    }
  }
}

// What errors that add up do in a model with little noise, they do in its
// recipes with less.
TEST(NoiseScaleTest, LittleNoiseScalesAllPredictions) {
  const NoiseScale scale(0.002, 0.001);
  EXPECT_NEAR(scale.Expected(1e-4) / 0.5e-4, 1, 0.01);
  const NoiseScale larger(0.001, 0.002);
  EXPECT_NEAR(larger.Expected(1e-4) / 2e-4, 1, 1e-9);
}

// A sentence encoder: all layers in int8 have -0.6 dB, for which -11.4 dB are
// predicted. One factor would take 11 dB off all predictions. The others are
// what the linear model predicted and what was then measured, in dB.
TEST(NoiseScaleTest, MuchNoiseDoesNotLowerPredictionsOfLittle) {
  const NoiseScale scale(ToNoise(-11.4), ToNoise(-0.64));
  constexpr double kMeasured[][2] = {{18.5, 18.4}, {16.4, 16.9}, {13.4, 13.6},
                                     {10.4, 11.0}, {7.0, 8.5},   {3.9, 6.0}};
  for (const auto& [predicted, measured] : kMeasured) {
    EXPECT_NEAR(ToDb(scale.Expected(ToNoise(predicted))), measured, 1.1);
  }
}

TEST(NoiseScaleTest, ExpectedNoiseRises) {
  for (const double measured : {1e-3, 0.1, 0.2, 0.5, 2.0}) {
    for (const double predicted : {measured / 10, measured * 10}) {
      const NoiseScale scale(predicted, measured);
      double before = 0;
      for (double noise = 1e-6; noise < 1e3; noise *= 2) {
        const double expected = scale.Expected(noise);
        EXPECT_GT(expected, before) << measured << " " << predicted;
        before = expected;
      }
    }
  }
}

// It is a matter of a derivative, and not of all recipes.
TEST(NoiseScaleTest, APredictionThatIsFarOffIsNotUsed) {
  EXPECT_EQ(NoiseScale(1, 0.01).Expected(0.1), 0.1);
  EXPECT_EQ(NoiseScale(1e-4, 0.01).Expected(0.1), 0.1);
  EXPECT_EQ(NoiseScale(1e-2, 1).Expected(0.1), 0.1);
  EXPECT_NEAR(NoiseScale(1e9, 1).Expected(0.01), 0.01, 2e-4);
}

TEST(NoiseScaleTest, NanInfinityAndNothingAreIgnored) {
  for (const double other :
       {std::numeric_limits<double>::quiet_NaN(), kInfinity, 0.0, -1.0}) {
    EXPECT_EQ(NoiseScale(other, 1).Expected(0.5), 0.5);
    EXPECT_EQ(NoiseScale(1, other).Expected(0.5), 0.5);
  }
}

TEST(NoiseScaleTest, WhatHasNoBoundKeepsIt) {
  const NoiseScale scale(10, 1);
  EXPECT_LT(scale.Expected(1e9), 2);
  EXPECT_EQ(scale.Expected(2 * NoiseRows::kUnbounded),
            2 * NoiseRows::kUnbounded);
}

}  // namespace
}  // namespace ns
