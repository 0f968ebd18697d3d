#include "ns/result/value_histograms.h"

#include <ATen/ATen.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/runtime/statistics/pair_histograms.h"

namespace ns {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

int64_t SumOf(const std::vector<int64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), int64_t{0});
}

// Counts of `values`, one by one, in as many bins as `counts` has.
std::vector<int64_t> CountsOf(const at::Tensor& values,
                              const HistogramBins& bins, size_t count) {
  std::vector<int64_t> counts(count);
  for (int64_t i = 0; i < values.numel(); ++i) {
    const double value = values.flatten()[i].item<double>();
    ++counts.at(
        static_cast<size_t>(std::floor((value - bins.lowest) / bins.width)));
  }
  return counts;
}

class ValueHistogramsTest : public ::testing::Test {
 protected:
  ValueHistogramsTest() { at::manual_seed(3); }

  static ValueHistograms Of(const at::Tensor& x, const at::Tensor& y) {
    PairHistograms histograms;
    for (int64_t i = 0; i < x.numel(); ++i) {
      histograms.Add(x.flatten()[i].item<double>(),
                     y.flatten()[i].item<double>());
    }
    return HistogramsOf(histograms);
  }
};

TEST_F(ValueHistogramsTest, CountsAreThoseOfTheValues) {
  const at::Tensor normal = at::randn({200}, at::kDouble);
  for (const at::Tensor& x :
       {normal, normal.abs(), -normal.abs() - 1, normal * 1e-5, normal.round(),
        at::zeros({200}, at::kDouble)}) {
    const at::Tensor y = x + 0.01 * at::randn({200}, at::kDouble);
    const ValueHistograms histograms = Of(x, y);
    EXPECT_EQ(histograms.samples, 200);
    EXPECT_LE(histograms.float_counts.size(), 128);
    EXPECT_EQ(
        histograms.float_counts,
        CountsOf(x, histograms.value_bins, histograms.float_counts.size()));
    EXPECT_EQ(
        histograms.quantized_counts,
        CountsOf(y, histograms.value_bins, histograms.quantized_counts.size()));
    EXPECT_EQ(
        histograms.error_counts,
        CountsOf(y - x, histograms.error_bins, histograms.error_counts.size()));
    // Nothing is empty at the ends.
    EXPECT_GT(
        histograms.float_counts.front() + histograms.quantized_counts.front(),
        0);
    EXPECT_GT(
        histograms.float_counts.back() + histograms.quantized_counts.back(), 0);
    EXPECT_GT(histograms.error_counts.front(), 0);
  }
}

TEST_F(ValueHistogramsTest, RowsAndColumnsAddUp) {
  const at::Tensor x = at::randn({500}, at::kDouble);
  const at::Tensor y = x * 1.1;
  const ValueHistograms histograms = Of(x, y);
  ASSERT_FALSE(histograms.errors_by_value.empty());
  EXPECT_LE(histograms.errors_by_value.size(), 32);
  const std::vector<int64_t> rows =
      CountsOf(x, histograms.row_bins, histograms.errors_by_value.size());
  std::vector<int64_t> columns(histograms.errors_by_value[0].size());
  EXPECT_LE(columns.size(), 16);
  for (size_t row = 0; row < rows.size(); ++row) {
    EXPECT_EQ(SumOf(histograms.errors_by_value[row]), rows[row]);
    for (size_t column = 0; column < columns.size(); ++column) {
      columns[column] += histograms.errors_by_value[row][column];
    }
  }
  EXPECT_EQ(columns, CountsOf(y - x, histograms.column_bins, columns.size()));
  // The error is a tenth of the value: that of the largest is in the corner.
  EXPECT_GT(histograms.errors_by_value.back().back(), 0);
  EXPECT_EQ(histograms.errors_by_value.back().front(), 0);
}

TEST_F(ValueHistogramsTest, NothingHasNoBins) {
  const ValueHistograms histograms = HistogramsOf(PairHistograms());
  EXPECT_EQ(histograms.samples, 0);
  EXPECT_THAT(histograms.float_counts, IsEmpty());
  EXPECT_EQ(HistogramsOfWeight(at::zeros({0}), at::zeros({0})).samples, 0);
}

TEST_F(ValueHistogramsTest, WeightsHaveAHundredBinsOfAllElements) {
  const at::Tensor x = at::randn({20, 30});
  const at::Tensor y =
      at::quantize_per_channel(x, at::full({20}, 0.02, at::kDouble),
                               at::zeros({20}, at::kLong), 0, at::kQInt8);
  const ValueHistograms histograms = HistogramsOfWeight(x, y);
  EXPECT_EQ(histograms.samples, 600);
  EXPECT_THAT(histograms.float_counts, SizeIs(100));
  const at::Tensor values = y.dequantize();
  const double lowest = at::minimum(x, values).min().item<double>();
  const double highest = at::maximum(x, values).max().item<double>();
  EXPECT_DOUBLE_EQ(histograms.value_bins.lowest, lowest);
  EXPECT_NEAR(histograms.value_bins.width, (highest - lowest) / 100, 1e-9);
  for (const auto& [tensor, counts] :
       {std::pair(x, histograms.float_counts),
        std::pair(values, histograms.quantized_counts)}) {
    const at::Tensor expected =
        at::histc(tensor.to(at::kDouble), 100, lowest, highest).to(at::kLong);
    for (int64_t i = 0; i < 100; ++i) {
      EXPECT_EQ(counts[i], expected[i].item<int64_t>()) << i;
    }
  }
  EXPECT_EQ(SumOf(histograms.error_counts), 600);
  EXPECT_EQ(histograms.errors_by_value.size(), 32);
}

TEST_F(ValueHistogramsTest, OddWeightsAreCountedToo) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const at::Tensor one = at::full({3}, 0.5);
  EXPECT_EQ(SumOf(HistogramsOfWeight(one, one).float_counts), 3);
  const at::Tensor tiny = at::tensor({0.0F, 1e-45F});
  EXPECT_EQ(SumOf(HistogramsOfWeight(tiny, tiny).float_counts), 2);
  const at::Tensor with_inf = at::tensor({kInf, 1.0F, -kInf, NAN});
  EXPECT_EQ(HistogramsOfWeight(with_inf, with_inf).samples, 1);
}

TEST_F(ValueHistogramsTest, WeightsMayBeFurtherApartThanADoubleCanTell) {
  const at::Tensor x = at::tensor({-1e308, 1e306, 1e308}, at::kDouble);
  const ValueHistograms same = HistogramsOfWeight(x, x);
  EXPECT_EQ(same.value_bins.lowest, -1e308);
  EXPECT_DOUBLE_EQ(same.value_bins.width, 2e306);
  for (const size_t bin : {0, 50, 99}) {
    EXPECT_EQ(same.float_counts[bin], 1) << bin;
    EXPECT_EQ(same.quantized_counts[bin], 1) << bin;
  }
  for (const size_t row : {0, 16, 31}) {
    EXPECT_EQ(SumOf(same.errors_by_value[row]), 1) << row;
  }
  const ValueHistograms errors = HistogramsOfWeight(at::zeros({3}), x);
  EXPECT_DOUBLE_EQ(errors.error_bins.width, 2e306);
  for (const size_t bin : {0, 50, 99}) {
    EXPECT_EQ(errors.error_counts[bin], 1) << bin;
  }
}

}  // namespace
}  // namespace ns
