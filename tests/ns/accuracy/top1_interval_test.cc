#include "ns/accuracy/top1_interval.h"

#include <cmath>
#include <random>

#include "gtest/gtest.h"

namespace ns {
namespace {

PairedCounts Counts(int64_t samples, int64_t lost, int64_t won) {
  PairedCounts counts;
  counts.samples = samples;
  counts.lost = lost;
  counts.won = won;
  return counts;
}

// (4 - 10) / 102 and 1.96 sqrt(15 - 36 / 102) / 102.
TEST(Top1IntervalTest, IsTheFormulaOfAgrestiAndMin) {
  const Top1Interval interval = Top1DifferenceInterval(Counts(100, 10, 4));
  EXPECT_NEAR(interval.lowest, -6.0 / 102 - 0.07353992, 1e-7);
  EXPECT_NEAR(interval.highest, -6.0 / 102 + 0.07353992, 1e-7);
}

TEST(Top1IntervalTest, EqualModelsDifferByChanceAtMost) {
  const Top1Interval few = Top1DifferenceInterval(Counts(10, 0, 0));
  const Top1Interval many = Top1DifferenceInterval(Counts(10000, 0, 0));
  EXPECT_DOUBLE_EQ(few.lowest, -few.highest);
  EXPECT_GT(few.highest, 0);
  EXPECT_LT(many.highest, few.highest / 100);
}

TEST(Top1IntervalTest, StaysWithinWhatADifferenceCanBe) {
  const Top1Interval interval = Top1DifferenceInterval(Counts(1, 1, 0));
  EXPECT_EQ(interval.lowest, -1);
  EXPECT_LE(interval.highest, 1);
  EXPECT_TRUE(std::isnan(Top1DifferenceInterval(Counts(0, 0, 0)).lowest));
}

// Of models whose true difference is known, 95 % of the intervals hold it.
TEST(Top1IntervalTest, HoldsTheDifferenceAsOftenAsItSays) {
  constexpr int kTrials = 2000;
  constexpr int kSamples = 200;
  constexpr double kLost = 0.05;
  constexpr double kWon = 0.02;
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(0, 1);
  int held = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    PairedCounts counts = Counts(kSamples, 0, 0);
    for (int i = 0; i < kSamples; ++i) {
      const double u = uniform(random);
      counts.lost += u < kLost ? 1 : 0;
      counts.won += u >= kLost && u < kLost + kWon ? 1 : 0;
    }
    const Top1Interval interval = Top1DifferenceInterval(counts);
    held += interval.lowest <= kWon - kLost && kWon - kLost <= interval.highest
                ? 1
                : 0;
  }
  EXPECT_GT(held, 0.93 * kTrials);
  EXPECT_LT(held, 0.98 * kTrials);
}

}  // namespace
}  // namespace ns
