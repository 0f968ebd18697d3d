#include "passes/runtime/observers/values/exact_histogram.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace ns {
namespace {

using Floats = std::vector<float>;

ExactHistogram Of(const Floats& x) {
  ExactHistogram histogram;
  histogram.Add(x.data(), static_cast<int64_t>(x.size()));
  return histogram;
}

void ExpectSame(const ExactHistogram& a, const ExactHistogram& b) {
  EXPECT_EQ(a.width(), b.width());
  EXPECT_EQ(a.first_bin(), b.first_bin());
  EXPECT_EQ(a.Counts(), b.Counts());
  EXPECT_EQ(a.zeros(), b.zeros());
  EXPECT_EQ(a.range().finite, b.range().finite);
  EXPECT_EQ(a.range().nans, b.range().nans);
  EXPECT_EQ(a.range().positive_infs, b.range().positive_infs);
  EXPECT_EQ(a.range().negative_infs, b.range().negative_infs);
}

// Of several sizes, zeros among them.
Floats RandomValues(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  Floats values(count);
  for (float& value : values) {
    value = random() % 8 == 0
                ? 0.0F
                : std::ldexp(normal(random), static_cast<int>(random() % 30));
  }
  return values;
}

TEST(ExactHistogramTest, EveryValueIsInItsBin) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Floats x = RandomValues(5000, seed);
    const ExactHistogram histogram = Of(x);
    std::vector<int64_t> expected(histogram.Counts().size());
    for (const float value : x) {
      ++expected.at(
          static_cast<size_t>(std::floor(double{value} / histogram.width()) -
                              static_cast<double>(histogram.first_bin())));
    }
    EXPECT_EQ(histogram.Counts(), expected);
    EXPECT_EQ(histogram.zeros(), std::count(x.begin(), x.end(), 0.0F));
  }
}

TEST(ExactHistogramTest, WidthIsTheSmallestThatFits) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const ExactHistogram histogram = Of(RandomValues(1000, seed));
    const auto bins_of = [&](double width) {
      return std::floor(histogram.range().finite.max / width) -
             std::floor(histogram.range().finite.min / width) + 1;
    };
    EXPECT_LE(bins_of(histogram.width()), ExactHistogram::kBins);
    EXPECT_GT(bins_of(histogram.width() / 2), ExactHistogram::kBins);
  }
}

TEST(ExactHistogramTest, OrderAndBatchesDoNotMatter) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    Floats x = RandomValues(3000, seed);
    const ExactHistogram whole = Of(x);
    ExactHistogram parts;
    for (size_t i = 0; i < x.size(); i += 500) {
      parts.Add(x.data() + i, 500);
    }
    ExpectSame(parts, whole);
    // Widens again and again.
    std::sort(x.begin(), x.end(),
              [](float a, float b) { return std::fabs(a) < std::fabs(b); });
    ExactHistogram grown;
    for (const float value : x) {
      grown.Add(&value, 1);
    }
    ExpectSame(grown, whole);
  }
}

TEST(ExactHistogramTest, MergedHalvesAreTheWhole) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    const Floats x = RandomValues(2000, seed);
    const size_t cut = 40 * seed;
    const Floats first(x.begin(), x.begin() + static_cast<int64_t>(cut));
    const Floats second(x.begin() + static_cast<int64_t>(cut), x.end());
    ExactHistogram merged = Of(first);
    merged.Merge(Of(second));
    ExpectSame(merged, Of(x));
    ExactHistogram turned = Of(second);
    turned.Merge(Of(first));
    ExpectSame(turned, Of(x));
  }
}

TEST(ExactHistogramTest, HoldsTheSmallestAndTheLargestFloats) {
  constexpr float kMax = std::numeric_limits<float>::max();
  constexpr float kTiny = std::numeric_limits<float>::denorm_min();
  for (const Floats& x :
       {Floats{kMax, -kMax}, Floats{kTiny, kTiny}, Floats{kMax, kTiny, -kTiny},
        Floats{0, 0}, Floats{-kMax}, Floats{3, 3, 3}}) {
    const ExactHistogram histogram = Of(x);
    int64_t all = 0;
    for (const int64_t count : histogram.Counts()) {
      all += count;
    }
    EXPECT_EQ(all, x.size());
    EXPECT_LE(histogram.Counts().size(), ExactHistogram::kBins);
  }
}

TEST(ExactHistogramTest, NonFiniteValuesAreCountedApart) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const ExactHistogram histogram =
      Of({1, std::nanf(""), -2, kInf, kInf, -kInf, 0});
  EXPECT_EQ(histogram.range().nans, 1);
  EXPECT_EQ(histogram.range().positive_infs, 2);
  EXPECT_EQ(histogram.range().negative_infs, 1);
  const ExactHistogram finite = Of({1, -2, 0});
  EXPECT_EQ(histogram.Counts(), finite.Counts());
  EXPECT_EQ(histogram.width(), finite.width());
}

TEST(ExactHistogramTest, CountsBringItBack) {
  for (const Floats& x :
       {Floats{}, Floats{0}, Floats{-3, -1}, RandomValues(1000, 3)}) {
    const ExactHistogram histogram = Of(x);
    ExactHistogram restored = Of({100, 200});
    EXPECT_TRUE(restored.Restore(histogram.range(), histogram.zeros(),
                                 histogram.Counts()));
    ExpectSame(restored, histogram);
  }
}

TEST(ExactHistogramTest, CountsOfAnotherRangeDoNot) {
  const ExactHistogram histogram = Of({-1, 2});
  ExactHistogram restored = Of({5});
  EXPECT_FALSE(restored.Restore(histogram.range(), 0, {1, 2, 3}));
  EXPECT_FALSE(restored.Restore(ValueRange(), 0, {1}));
  ExpectSame(restored, Of({5}));
}

}  // namespace
}  // namespace ns
