#include "ns/repro/shrink_data.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "passes/runtime/statistics/pair_statistics.h"

namespace ns {
namespace {

// Statistics of one element, of which only these sums matter.
PairStatistics Sums(double signal, double error) {
  PairStatistics sums;
  sums.count = 1;
  sums.sum_x2 = signal;
  sums.sum_e2 = error;
  sums.max_abs_error = std::sqrt(error);
  return sums;
}

PairStatistics Merged(const std::vector<PairStatistics>& parts,
                      IndexRange range) {
  PairStatistics whole;
  for (int64_t i = range.begin; i < range.end; ++i) {
    whole.Merge(parts[static_cast<size_t>(i)]);
  }
  return whole;
}

// Parts whose sums spread over six orders of magnitude; some have no error.
std::vector<PairStatistics> RandomParts(std::mt19937& random) {
  std::uniform_real_distribution<double> exponent(-3, 3);
  std::vector<PairStatistics> parts(1 + random() % 40);
  for (PairStatistics& part : parts) {
    const bool is_exact = random() % 4 == 0;
    part = Sums(std::pow(10, exponent(random)),
                is_exact ? 0 : std::pow(10, exponent(random)));
  }
  parts[random() % parts.size()].sum_e2 = 0.1;
  return parts;
}

TEST(ShrinkDataTest, OnePartAlwaysShowsTheErrorOfAll) {
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    const std::vector<PairStatistics> parts = RandomParts(random);
    const PairStatistics whole =
        Merged(parts, {0, static_cast<int64_t>(parts.size())});
    const PairStatistics& kept = parts[MostTellingPart(parts, whole)];
    EXPECT_LE(kept.SqnrDb(), whole.SqnrDb() + kMostGainDb);
    for (const PairStatistics& part : parts) {
      EXPECT_FALSE(ShowsErrorOf(whole, part) && part.sum_e2 > kept.sum_e2);
    }
  }
}

TEST(ShrinkDataTest, BisectionEndsAtOneSampleWhereSamplesAreIndependent) {
  std::mt19937 random(2);
  for (int round = 0; round < 500; ++round) {
    const std::vector<PairStatistics> samples = RandomParts(random);
    const auto count = static_cast<int64_t>(samples.size());
    const PairStatistics whole = Merged(samples, {0, count});
    int calls = 0;
    const IndexRange kept = ShrinkRange(count, whole, [&](IndexRange half) {
      ++calls;
      return std::optional(Merged(samples, half));
    });
    EXPECT_EQ(kept.size(), 1);
    EXPECT_TRUE(ShowsErrorOf(whole, Merged(samples, kept)));
    EXPECT_LE(calls, 2 * std::log2(count) + 2);
  }
}

// As where a scale is chosen for each batch.
TEST(ShrinkDataTest, WhatIsKeptShowsTheErrorWhateverAHalfMeasures) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> error(0.5, 2);
  int stopped_early = 0;
  for (int round = 0; round < 500; ++round) {
    const int64_t count = 1 + static_cast<int64_t>(random() % 40);
    const PairStatistics whole = Sums(1, 1);
    std::vector<std::pair<IndexRange, PairStatistics>> measured;
    const IndexRange kept = ShrinkRange(
        count, whole, [&](IndexRange half) -> std::optional<PairStatistics> {
          if (random() % 5 == 0) {
            return std::nullopt;
          }
          measured.emplace_back(half, Sums(1, error(random)));
          return measured.back().second;
        });
    stopped_early += kept.size() > 1 ? 1 : 0;
    EXPECT_GE(kept.begin, 0);
    EXPECT_LT(kept.begin, kept.end);
    EXPECT_LE(kept.end, count);
    for (const auto& [range, statistics] : measured) {
      if (range.begin == kept.begin && range.end == kept.end) {
        EXPECT_TRUE(ShowsErrorOf(whole, statistics));
      }
    }
  }
  EXPECT_GT(stopped_early, 0);
}

TEST(ShrinkDataTest, ThresholdIsOneDecibel) {
  const PairStatistics whole = Sums(100, 1);  // 20 dB
  EXPECT_TRUE(ShowsErrorOf(whole, Sums(std::pow(10, 2.099), 1)));
  EXPECT_FALSE(ShowsErrorOf(whole, Sums(std::pow(10, 2.101), 1)));
  EXPECT_TRUE(ShowsErrorOf(whole, Sums(0, 1)));
  EXPECT_FALSE(ShowsErrorOf(whole, Sums(1, 0)));
}

TEST(ShrinkDataTest, NanIsShownByNanAlone) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<PairStatistics> parts = {Sums(1, 100), Sums(1, nan),
                                             Sums(nan, nan)};
  const PairStatistics whole = Merged(parts, {0, 3});
  EXPECT_TRUE(std::isnan(whole.SqnrDb()));
  EXPECT_EQ(MostTellingPart(parts, whole), 1);
  EXPECT_FALSE(ShowsErrorOf(whole, PairStatistics()));
}

}  // namespace
}  // namespace ns
