#include "passes/runtime/statistics/pair_histograms.h"

#include <c10/util/Exception.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace ns {
namespace {

using Pairs = std::vector<std::pair<double, double>>;

constexpr double kInf = std::numeric_limits<double>::infinity();

PairHistograms HistogramsOf(const Pairs& pairs) {
  PairHistograms histograms;
  for (const auto& [x, y] : pairs) {
    histograms.Add(x, y);
  }
  return histograms;
}

// Pairs whose magnitudes differ by many powers of two, zeros among them.
Pairs RandomPairs(unsigned seed, size_t count) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_int_distribution<int> exponent(-20, 20);
  Pairs pairs;
  for (size_t i = 0; i < count; ++i) {
    const double x =
        i % 10 == 0 ? 0.0 : std::ldexp(normal(random), exponent(random));
    pairs.emplace_back(x, x + std::ldexp(normal(random), exponent(random)));
  }
  return pairs;
}

void ExpectSame(const PairHistograms& a, const PairHistograms& b) {
  EXPECT_EQ(a.total(), b.total());
  EXPECT_EQ(a.ToNumbers(), b.ToNumbers());
}

TEST(PairHistogramsTest, CountsAreThoseOfTheValuesInEachBin) {
  for (unsigned seed = 0; seed < 5; ++seed) {
    const Pairs pairs = RandomPairs(seed, 500);
    const PairHistograms histograms = HistogramsOf(pairs);
    ASSERT_EQ(histograms.total(), 500);
    std::vector<int64_t> of_x(PairHistograms::kBins);
    std::vector<int64_t> of_y(PairHistograms::kBins);
    std::vector<int64_t> of_errors(PairHistograms::kBins);
    std::vector<int64_t> joint(PairHistograms::kRows *
                               PairHistograms::kColumns);
    const auto bin_of = [](double value, double width) {
      return static_cast<int64_t>(std::floor(value / width)) +
             PairHistograms::kHalf;
    };
    for (const auto& [x, y] : pairs) {
      const int64_t x_bin = bin_of(x, histograms.value_width());
      const int64_t error_bin = bin_of(y - x, histograms.error_width());
      ++of_x.at(x_bin);
      ++of_y.at(bin_of(y, histograms.value_width()));
      ++of_errors.at(error_bin);
      ++joint.at(x_bin / PairHistograms::kBinsOfRow * PairHistograms::kColumns +
                 error_bin / PairHistograms::kBinsOfColumn);
    }
    for (int64_t bin = 0; bin < PairHistograms::kBins; ++bin) {
      EXPECT_EQ(histograms.CountOfX(bin), of_x[bin]);
      EXPECT_EQ(histograms.CountOfY(bin), of_y[bin]);
      EXPECT_EQ(histograms.CountOfError(bin), of_errors[bin]);
    }
    for (int64_t row = 0; row < PairHistograms::kRows; ++row) {
      for (int64_t column = 0; column < PairHistograms::kColumns; ++column) {
        EXPECT_EQ(histograms.CountOf(row, column),
                  joint[row * PairHistograms::kColumns + column]);
      }
    }
  }
}

TEST(PairHistogramsTest, TheLargestValueIsInTheOuterHalf) {
  for (const double largest : {1e-300, 1e-30, 0.75, 1.0, 255.0, 256.0, 1e30}) {
    const PairHistograms histograms =
        HistogramsOf({{largest, largest}, {0, largest / 1000}});
    EXPECT_LT(largest, 256 * histograms.value_width());
    EXPECT_GE(largest, 128 * histograms.value_width());
  }
}

TEST(PairHistogramsTest, TheOrderDoesNotMatter) {
  Pairs pairs = RandomPairs(7, 300);
  const PairHistograms forward = HistogramsOf(pairs);
  ExpectSame(HistogramsOf({pairs.rbegin(), pairs.rend()}), forward);
  std::sort(pairs.begin(), pairs.end());
  ExpectSame(HistogramsOf(pairs), forward);
}

TEST(PairHistogramsTest, PartsAddUpToTheWhole) {
  const Pairs pairs = RandomPairs(8, 300);
  const PairHistograms whole = HistogramsOf(pairs);
  for (const int64_t cut : {0, 1, 150, 299, 300}) {
    PairHistograms first = HistogramsOf({pairs.begin(), pairs.begin() + cut});
    PairHistograms second = HistogramsOf({pairs.begin() + cut, pairs.end()});
    PairHistograms backward = second;
    backward.Merge(first);
    first.Merge(second);
    ExpectSame(first, whole);
    ExpectSame(backward, whole);
  }
}

TEST(PairHistogramsTest, WhatIsNotFiniteIsNotCounted) {
  const double huge = std::numeric_limits<double>::max();
  const PairHistograms histograms = HistogramsOf({{kInf, 0},
                                                  {0, -kInf},
                                                  {std::nan(""), 1},
                                                  {1, std::nan("")},
                                                  {kInf, kInf},
                                                  {huge, -huge},
                                                  {1, 2}});
  EXPECT_EQ(histograms.total(), 1);
  ExpectSame(histograms, HistogramsOf({{1, 2}}));
}

TEST(PairHistogramsTest, ExtremesHaveBins) {
  const double huge = std::numeric_limits<double>::max() / 2;
  const double tiny = std::numeric_limits<double>::denorm_min();
  EXPECT_EQ(HistogramsOf({{huge, -huge}, {tiny, -tiny}, {0, 0}}).total(), 3);
  const double most = std::numeric_limits<double>::max();
  PairHistograms widest = HistogramsOf({{most, most}});
  widest = PairHistograms::FromNumbers(widest.ToNumbers());
  widest.Merge(HistogramsOf({{1, 1}}));
  EXPECT_EQ(widest.total(), 2);
  // A small negative number is below zero, however wide the bins are.
  const PairHistograms histograms = HistogramsOf({{-tiny, 0}, {1, 1}});
  EXPECT_EQ(histograms.CountOfX(PairHistograms::kHalf - 1), 1);
}

TEST(PairHistogramsTest, NumbersHoldAllOfIt) {
  EXPECT_TRUE(PairHistograms().ToNumbers().empty());
  EXPECT_EQ(PairHistograms::FromNumbers({}).total(), 0);
  PairHistograms histograms = HistogramsOf(RandomPairs(9, 100));
  PairHistograms again = PairHistograms::FromNumbers(histograms.ToNumbers());
  ExpectSame(again, histograms);
  again.Add(1e9, 0);
  histograms.Add(1e9, 0);
  ExpectSame(again, histograms);
}

TEST(PairHistogramsTest, BadNumbersAreRefused) {
  const std::vector<std::vector<double>> bad = {
      {1},           {0.5, 0},          {0, -2000},
      {0, 5000},     {std::nan(""), 0}, {0, 0, 1},
      {0, 0, -1, 1}, {0, 0, 1e6, 1},    {0, 0, 1, 0.5},
      {1017, 0},     {0, 1017}};
  for (const std::vector<double>& numbers : bad) {
    EXPECT_THROW(PairHistograms::FromNumbers(numbers), c10::Error);
  }
}

TEST(PairHistogramsTest, EachPairIsInAllHistograms) {
  EXPECT_THROW(PairHistograms::FromNumbers({0, 0}), c10::Error);
  // Two numbers for the widths, and two for each of the four counts.
  const std::vector<double> numbers = HistogramsOf({{1, 2}}).ToNumbers();
  ASSERT_EQ(numbers.size(), 10U);
  for (size_t count = 3; count < numbers.size(); count += 2) {
    std::vector<double> changed = numbers;
    changed[count] = 2;
    EXPECT_THROW(PairHistograms::FromNumbers(changed), c10::Error);
    changed.erase(changed.begin() + static_cast<int64_t>(count) - 1,
                  changed.begin() + static_cast<int64_t>(count) + 1);
    EXPECT_THROW(PairHistograms::FromNumbers(changed), c10::Error);
  }
  std::vector<double> twice = numbers;
  for (size_t count = 3; count < numbers.size(); count += 2) {
    twice[count] = 2;
  }
  EXPECT_EQ(PairHistograms::FromNumbers(twice).total(), 2);
}

}  // namespace
}  // namespace ns
