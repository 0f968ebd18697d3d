#include "passes/runtime/statistics/error_histogram.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace ns {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

ErrorHistogram HistogramOf(const std::vector<float>& errors) {
  ErrorHistogram histogram;
  const std::vector<float> zeros(errors.size());
  histogram.Add(errors.data(), zeros.data(),
                static_cast<int64_t>(errors.size()));
  return histogram;
}

// Errors whose magnitudes differ by many powers of ten.
std::vector<float> RandomErrors(unsigned seed, size_t count) {
  std::mt19937 random(seed);
  std::normal_distribution<float> exponent(-4, 5);
  std::normal_distribution<float> sign;
  std::vector<float> errors(count);
  for (float& error : errors) {
    error = std::copysign(std::exp(exponent(random)), sign(random));
  }
  return errors;
}

std::vector<double> SortedSizes(const std::vector<float>& errors) {
  std::vector<double> sizes;
  for (const float error : errors) {
    sizes.push_back(std::abs(error));
  }
  std::sort(sizes.begin(), sizes.end());
  return sizes;
}

TEST(ErrorHistogramTest, QuantilesAreThoseOfTheSortedErrors) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const std::vector<float> errors = RandomErrors(seed, 1 + seed * 997);
    const std::vector<double> sizes = SortedSizes(errors);
    for (const double quantile : {0.0, 0.01, 0.5, 0.9, 0.999, 1.0}) {
      const auto rank = static_cast<size_t>(
          std::ceil(quantile * static_cast<double>(sizes.size())));
      const double expected = sizes[std::max<size_t>(rank, 1) - 1];
      EXPECT_NEAR(HistogramOf(errors).Quantile(quantile), expected,
                  expected / 30);
    }
  }
}

TEST(ErrorHistogramTest, SharesAreThoseOfTheSortedErrors) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const std::vector<float> errors = RandomErrors(seed, 2000 + seed * 997);
    const std::vector<double> sizes = SortedSizes(errors);
    double all = 0;
    double largest = 0;
    auto left = static_cast<int64_t>(
        std::ceil(0.001 * static_cast<double>(sizes.size())));
    for (auto size = sizes.rbegin(); size != sizes.rend(); ++size) {
      all += *size * *size;
      largest += left-- > 0 ? *size * *size : 0;
    }
    EXPECT_NEAR(HistogramOf(errors).ShareOfSquares(0.001), largest / all, 0.1);
  }
}

TEST(ErrorHistogramTest, ErrorsThatAreAlikeHaveNoOutliers) {
  const std::vector<float> alike(100000, 0.25F);
  EXPECT_NEAR(HistogramOf(alike).ShareOfSquares(0.001), 0.001, 1e-6);
  const std::vector<float> zeros(10);
  EXPECT_EQ(HistogramOf(zeros).ShareOfSquares(0.001), 0);
  EXPECT_EQ(HistogramOf(zeros).Quantile(0.999), 0);
  EXPECT_EQ(ErrorHistogram().Quantile(0.999), 0);
}

TEST(ErrorHistogramTest, NansAreNotCountedAndInfinitiesAreTheLargest) {
  const ErrorHistogram histogram =
      HistogramOf({NAN, 1, INFINITY, -INFINITY, NAN});
  EXPECT_EQ(histogram.total(), 3);
  EXPECT_NEAR(histogram.Quantile(0.3), 1, 0.04);
  EXPECT_EQ(histogram.Quantile(0.999), kInfinity);
  EXPECT_TRUE(std::isnan(histogram.ShareOfSquares(0.001)));
  EXPECT_TRUE(std::isnan(histogram.ShareOfSquares(0)));
}

TEST(ErrorHistogramTest, EqualInfinitiesHaveNoError) {
  const float x[] = {INFINITY, -INFINITY, INFINITY};
  const float y[] = {INFINITY, -INFINITY, -INFINITY};
  const double wide_x[] = {x[0], x[1], x[2]};
  const double wide_y[] = {y[0], y[1], y[2]};
  ErrorHistogram histogram;
  histogram.Add(x, y, 3);
  histogram.Add(wide_x, wide_y, 3);
  EXPECT_EQ(histogram.total(), 6);
  EXPECT_EQ(histogram.Quantile(0.6), 0);
  EXPECT_EQ(histogram.Quantile(0.999), kInfinity);
}

TEST(ErrorHistogramTest, TheLargestFloatsAreFinite) {
  constexpr float kLargest = std::numeric_limits<float>::max();
  for (const float error : {3.3e38F, kLargest}) {
    const ErrorHistogram histogram = HistogramOf({error, error});
    EXPECT_NEAR(histogram.Quantile(1), error, error / 30);
    EXPECT_EQ(histogram.ShareOfSquares(0.5), 0.5);
  }
}

TEST(ErrorHistogramTest, DoublesAreCountedAsFloats) {
  const std::vector<float> errors = RandomErrors(3, 500);
  const std::vector<double> x(errors.begin(), errors.end());
  const std::vector<double> y(errors.size());
  ErrorHistogram of_doubles;
  of_doubles.Add(x.data(), y.data(), 500);
  EXPECT_EQ(of_doubles.Bins(), HistogramOf(errors).Bins());
}

TEST(ErrorHistogramTest, PartsMergeToTheWhole) {
  const std::vector<float> errors = RandomErrors(5, 1000);
  ErrorHistogram merged = HistogramOf({errors.begin(), errors.begin() + 10});
  merged.Merge(HistogramOf({errors.begin() + 10, errors.end()}));
  merged.Merge(ErrorHistogram());
  EXPECT_EQ(merged.Bins(), HistogramOf(errors).Bins());
  EXPECT_EQ(merged.total(), 1000);
}

TEST(ErrorHistogramTest, BinsAreTheWayBack) {
  const ErrorHistogram histogram = HistogramOf(RandomErrors(7, 1000));
  ErrorHistogram copy;
  for (const auto& [bin, count] : histogram.Bins()) {
    EXPECT_TRUE(copy.AddBin(bin, count));
  }
  EXPECT_EQ(copy.Bins(), histogram.Bins());
  EXPECT_EQ(copy.total(), 1000);
  EXPECT_FALSE(copy.AddBin(-1, 1));
  EXPECT_FALSE(copy.AddBin(1 << 20, 1));
  EXPECT_FALSE(copy.AddBin(0, -1));
}

}  // namespace
}  // namespace ns
