#include "passes/runtime/observers/values/reference_histogram.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <cmath>
#include <vector>

#include "gtest/gtest.h"

namespace ns {
namespace {

// Bits in compat mode are held against PyTorch's by observers_reference_test;
// here is what differs without it.
constexpr int64_t kBins = 2048;
constexpr int64_t kUpsampleRate = 128;
constexpr double kLevels = 256;

Interval RangeOfTensor(const at::Tensor& x) {
  return {x.min().item<float>(), x.max().item<float>()};
}

ReferenceHistogram Of(const std::vector<at::Tensor>& batches,
                      bool compat = false) {
  ReferenceHistogram histogram(kBins, kUpsampleRate, compat);
  for (const at::Tensor& batch : batches) {
    histogram.Add(batch, RangeOfTensor(batch));
  }
  return histogram;
}

double CountOf(const ReferenceHistogram& histogram) {
  return histogram.counts().sum().item<double>();
}

// Of the values that counts stand for.
double MeanOf(const ReferenceHistogram& histogram) {
  const Interval& range = histogram.range();
  const double width = (double{range.max} - range.min) / kBins;
  const at::Tensor middles =
      range.min + (at::arange(kBins, at::kDouble) + 0.5) * width;
  return ((middles * histogram.counts()).sum() / CountOf(histogram))
      .item<double>();
}

TEST(ReferenceHistogramTest, CountsValuesBetweenWholeNumbers) {
  const at::Tensor x = at::linspace(-0.9, 1.9, 10000);
  EXPECT_EQ(CountOf(Of({x})), 10000);
  EXPECT_LT(CountOf(Of({x}, /*compat=*/true)), 4000);
  EXPECT_NEAR(MeanOf(Of({x})), 0.5, 0.01);
}

TEST(ReferenceHistogramTest, RemembersBatchesOfOneValue) {
  const at::Tensor zeros = at::zeros({5000});
  const at::Tensor x = at::linspace(1.01, 3, 100);
  const ReferenceHistogram histogram = Of({zeros, zeros, x});
  EXPECT_EQ(CountOf(histogram), 10100);
  EXPECT_EQ(histogram.range(), (Interval{0, 3}));
  EXPECT_EQ(histogram.counts()[0].item<float>(), 10000);
  EXPECT_EQ(Of({zeros, x}, /*compat=*/true).range().min, 1.01F);
}

TEST(ReferenceHistogramTest, RangeGrowsWithoutMuchMemory) {
  // PyTorch's would need 10 GB, and the second 10^30 times as much.
  for (const double scale : {1e4, 1e34}) {
    const at::Tensor small = at::linspace(0, 1e-3, 1000);
    const ReferenceHistogram histogram = Of({small, small * scale});
    EXPECT_NEAR(CountOf(histogram), 2000, 1);
    EXPECT_NEAR(histogram.counts()[0].item<float>(), 1001, 1);
    EXPECT_GE(histogram.range().max, 0.999e-3 * scale);
  }
}

TEST(ReferenceHistogramTest, BatchesCountAsOneTensor) {
  const at::Tensor x = at::randn({100000});
  const ReferenceHistogram whole = Of({x});
  const ReferenceHistogram parts = Of(x.chunk(7));
  EXPECT_NEAR(CountOf(parts), 100000, 1);
  EXPECT_NEAR(MeanOf(parts), MeanOf(whole), 0.01);
  const Interval a = whole.BestRange(kLevels);
  const Interval b = parts.BestRange(kLevels);
  EXPECT_NEAR(a.min, b.min, 0.15);
  EXPECT_NEAR(a.max, b.max, 0.15);
}

TEST(ReferenceHistogramTest, MergedHalvesHaveAllCounts) {
  const at::Tensor x = at::randn({1000});
  const at::Tensor y = at::randn({3000}) * 2 + 1;
  ReferenceHistogram merged = Of({x});
  merged.Merge(Of({y}));
  EXPECT_NEAR(CountOf(merged), 4000, 1);
  EXPECT_NEAR(MeanOf(merged), at::cat({x, y}).mean().item<double>(), 0.01);
  EXPECT_LE(merged.range().min, y.min().item<float>());
  EXPECT_GE(merged.range().max, y.max().item<float>());
}

TEST(ReferenceHistogramTest, MergesWithNothingAndWithOneValue) {
  const at::Tensor x = at::randn({1000});
  ReferenceHistogram merged(kBins, kUpsampleRate, false);
  merged.Merge(Of({x}));
  merged.Merge(ReferenceHistogram(kBins, kUpsampleRate, false));
  EXPECT_TRUE(merged.counts().equal(Of({x}).counts()));
  merged.Merge(Of({at::full({500}, 10.0F)}));
  EXPECT_NEAR(CountOf(merged), 1500, 1);
  ReferenceHistogram value = Of({at::full({5}, 2.0F)});
  value.Merge(Of({at::full({7}, 2.0F)}));
  EXPECT_EQ(CountOf(value), 12);
}

TEST(ReferenceHistogramTest, OutliersAreClippedWhereThatLosesLess) {
  const at::Tensor x = at::cat({at::randn({1000000}), at::full({1}, 30.0)});
  EXPECT_LT(Of({x}).BestRange(kLevels).max, 20);
}

}  // namespace
}  // namespace ns
