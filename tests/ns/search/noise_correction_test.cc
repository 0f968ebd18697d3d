#include "ns/search/noise_correction.h"

#include <limits>

#include "gtest/gtest.h"

namespace ns {
namespace {

TEST(NoiseCorrectionTest, LeavesPredictionsAsTheyAreBeforeMeasuring) {
  const NoiseCorrection correction;
  EXPECT_EQ(correction.Corrected(0.25), 0.25);
  EXPECT_EQ(correction.LimitFor(0.25), 0.25);
}

TEST(NoiseCorrectionTest, OneRecipeShiftsAll) {
  NoiseCorrection correction;
  correction.Add(0.01, 0.02);
  EXPECT_NEAR(correction.Corrected(0.01), 0.02, 1e-12);
  EXPECT_NEAR(correction.Corrected(0.003), 0.006, 1e-12);
  EXPECT_NEAR(correction.LimitFor(0.006), 0.003, 1e-12);
  EXPECT_EQ(correction.Corrected(0), 0);
}

// One correction for all would forget the first, or the second.
TEST(NoiseCorrectionTest, EachMeasuredRecipeKeepsItsNoise) {
  NoiseCorrection correction;
  correction.Add(1, 2);
  correction.Add(0.01, 0.005);
  EXPECT_NEAR(correction.Corrected(1), 2, 1e-12);
  EXPECT_NEAR(correction.Corrected(0.01), 0.005, 1e-12);
  // Halfway, in logarithms.
  EXPECT_NEAR(correction.Corrected(0.1), 0.1, 1e-12);
  EXPECT_NEAR(correction.Corrected(0.001), 0.0005, 1e-12);
  EXPECT_NEAR(correction.Corrected(10), 20, 1e-12);
  for (const double noise : {0.0001, 0.005, 0.02, 0.1, 1.0, 2.0, 30.0}) {
    EXPECT_NEAR(correction.Corrected(correction.LimitFor(noise)) / noise, 1,
                1e-9);
  }
}

// What was predicted to be less noisy and is not makes others suspicious.
TEST(NoiseCorrectionTest, NeverFallsWherePredictionsRise) {
  NoiseCorrection correction;
  correction.Add(1, 1);
  correction.Add(0.1, 4);
  EXPECT_NEAR(correction.Corrected(0.1), 4, 1e-12);
  EXPECT_NEAR(correction.Corrected(0.5), 4, 1e-12);
  EXPECT_NEAR(correction.Corrected(1), 4, 1e-12);
  EXPECT_NEAR(correction.LimitFor(2), 0.05, 1e-12);
}

TEST(NoiseCorrectionTest, NanAndInfinityAndNothingSayNothing) {
  NoiseCorrection correction;
  correction.Add(1, std::numeric_limits<double>::quiet_NaN());
  correction.Add(1, std::numeric_limits<double>::infinity());
  correction.Add(1, 0);
  correction.Add(0, 1);
  EXPECT_EQ(correction.Corrected(0.5), 0.5);
  EXPECT_EQ(correction.LimitFor(std::numeric_limits<double>::infinity()),
            std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace ns
