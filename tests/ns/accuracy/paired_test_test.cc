#include "ns/accuracy/paired_test.h"

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

TEST(PairedTestTest, DropsAreInPointsOfTheSamples) {
  EXPECT_DOUBLE_EQ(Counts(1000, 12, 5).drop(), 0.7);
  EXPECT_DOUBLE_EQ(Counts(200, 1, 3).drop(), -1);
}

// Without a limit, heads of a coin.
TEST(PairedTestTest, IsTheBinomialTestWithoutALimit) {
  EXPECT_NEAR(PValueOfDrop(Counts(100, 3, 0), 0), 1.0 / 8, 1e-12);
  EXPECT_NEAR(PValueOfDrop(Counts(100, 3, 1), 0), 5.0 / 16, 1e-12);
  EXPECT_NEAR(PValueOfDrop(Counts(100, 0, 4), 0), 1, 1e-12);
}

// Of 10 that differ, 2 more are lost than won at the limit: each is a lost one
// with the probability 0.6, and all are with 0.6^10.
TEST(PairedTestTest, ALimitMakesLossesMoreLikely) {
  EXPECT_NEAR(PValueOfDrop(Counts(1000, 10, 0), 0.2), 0.0060466176, 1e-10);
}

TEST(PairedTestTest, FewSamplesThatDifferTellNothing) {
  EXPECT_EQ(PValueOfDrop(Counts(1000, 5, 0), 0.5), 1);
  EXPECT_EQ(PValueOfDrop(Counts(1000, 0, 0), 0), 1);
}

TEST(PairedTestTest, LargeDropsOfManySamplesAreSignificant) {
  EXPECT_LT(PValueOfDrop(Counts(10000, 300, 100), 0.5), 1e-6);
  EXPECT_GT(PValueOfDrop(Counts(10000, 140, 80), 0.5), kSignificance);
}

}  // namespace
}  // namespace ns
