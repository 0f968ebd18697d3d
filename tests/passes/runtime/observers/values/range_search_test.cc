#include "passes/runtime/observers/values/range_search.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include "gtest/gtest.h"

namespace ns {
namespace {

ExactHistogram HistogramOf(const at::Tensor& x) {
  const at::Tensor values = x.contiguous();
  ExactHistogram histogram;
  histogram.Add(values.data_ptr<float>(), values.numel());
  return histogram;
}

Interval RangeOfTensor(const at::Tensor& x) {
  return {x.min().item<float>(), x.max().item<float>()};
}

QuantGrid Affine(int64_t quant_max) {
  QuantGrid grid;
  grid.quant_max = quant_max;
  return grid;
}

QuantGrid Symmetric(int64_t quant_min, int64_t quant_max) {
  QuantGrid grid;
  grid.quant_min = quant_min;
  grid.quant_max = quant_max;
  grid.symmetric_zero_point = 0;
  return grid;
}

double SquaredError(const at::Tensor& x, const Interval& range,
                    const QuantGrid& grid) {
  const QParams qparams = ChooseQParams(range.min, range.max, grid);
  const at::Tensor y = at::fake_quantize_per_tensor_affine(
      x, qparams.scale, qparams.zero_point, grid.quant_min, grid.quant_max);
  return (x - y).pow(2).sum().item<double>();
}

class RangeSearchTest : public testing::Test {
 protected:
  const at::Tensor normal_ = at::randn({20000});
};

// No range of a fine grid of them, measured by quantizing, is much better.
TEST_F(RangeSearchTest, NoRangeHasAMuchSmallerSquaredError) {
  const at::Tensor outliers = normal_.clone();
  outliers.slice(0, 0, 5).fill_(30);
  for (const at::Tensor& x : {normal_, normal_.relu(), outliers, normal_.pow(3),
                              -normal_.abs(), normal_ + 10}) {
    const ExactHistogram histogram = HistogramOf(x);
    const Interval whole = RangeOfTensor(x);
    for (const QuantGrid& grid : {Affine(255), Affine(127), Affine(15),
                                  Symmetric(-128, 127), Symmetric(-8, 7)}) {
      const Interval found = LeastSquaredErrorRange(histogram, grid, 1);
      double least = 1e300;
      for (int low = 0; low <= 20; ++low) {
        for (int high = 0; high <= 20; ++high) {
          const Interval tried = {std::min(whole.min, 0.0F) * low / 20,
                                  std::max(whole.max, 0.0F) * high / 20};
          least = std::min(least, SquaredError(x, tried, grid));
        }
      }
      EXPECT_LT(SquaredError(x, found, grid), 1.03 * least)
          << grid.quant_max << ", " << whole.min << ".." << whole.max << " to "
          << found.min << ".." << found.max;
    }
  }
}

TEST_F(RangeSearchTest, UniformValuesKeepTheirRange) {
  const at::Tensor x = at::linspace(-1, 3, 100000);
  const Interval found = LeastSquaredErrorRange(HistogramOf(x), Affine(255), 1);
  EXPECT_EQ(found, (Interval{-1, 3}));
}

TEST_F(RangeSearchTest, ZerosDoNotNarrowTheRange) {
  const at::Tensor x = at::linspace(0, 3, 1000);
  const at::Tensor with_zeros = at::cat({x, at::zeros({1000000})});
  EXPECT_EQ(LeastSquaredErrorRange(HistogramOf(with_zeros), Affine(255), 1),
            LeastSquaredErrorRange(HistogramOf(x), Affine(255), 1));
}

TEST_F(RangeSearchTest, OneValueIsItsOwnRange) {
  for (const float value : {2.5F, -2.5F, 0.0F}) {
    const ExactHistogram histogram = HistogramOf(at::full({7}, value));
    const Interval expected = {std::min(value, 0.0F), std::max(value, 0.0F)};
    EXPECT_EQ(LeastSquaredErrorRange(histogram, Affine(255), 1), expected);
    EXPECT_EQ(PercentileRange(histogram, 0.99), expected);
    EXPECT_EQ(LeastDivergenceRange(histogram, Affine(255)), expected);
  }
}

TEST_F(RangeSearchTest, PercentileLeavesOutItsShareOnEachSide) {
  const at::Tensor x = at::linspace(-1, 3, 40001);
  for (const double percentile : {0.9, 0.99, 0.999}) {
    const Interval found = PercentileRange(HistogramOf(x), percentile);
    const double length = (1 - percentile) * 4;
    EXPECT_NEAR(found.min, -1 + length, 0.004);
    EXPECT_NEAR(found.max, 3 - length, 0.004);
    EXPECT_LE((x < found.min).sum().item<int64_t>(), (1 - percentile) * 40001);
    EXPECT_LE((x > found.max).sum().item<int64_t>(), (1 - percentile) * 40001);
  }
  EXPECT_EQ(PercentileRange(HistogramOf(x), 1), (Interval{-1, 3}));
  EXPECT_EQ(PercentileRange(HistogramOf(x + 2), 0.9).min, 0);
}

TEST_F(RangeSearchTest, DivergenceClipsOutliersAndKeepsTheRest) {
  const at::Tensor x = at::cat({normal_, at::full({3}, 100.0)});
  for (const QuantGrid& grid : {Affine(255), Symmetric(-128, 127)}) {
    const Interval found = LeastDivergenceRange(HistogramOf(x), grid);
    EXPECT_LT(found.max, 20);
    EXPECT_GT(found.max, 2.5);
    EXPECT_LT(found.min, -2.5);
  }
  const at::Tensor uniform = at::linspace(-1, 1, 100000);
  EXPECT_NEAR(LeastDivergenceRange(HistogramOf(uniform), Affine(255)).max, 1,
              0.02);
}

// Within 6 dB of the range of all values, or better.
TEST_F(RangeSearchTest, DivergenceKeepsValuesOfAnySign) {
  for (const at::Tensor& x : {normal_, normal_.relu(), -normal_.abs(),
                              normal_ + 5, at::linspace(-1.9, 1.9, 20000)}) {
    for (const QuantGrid& grid :
         {Affine(255), Affine(127), Affine(15), Symmetric(-128, 127)}) {
      const Interval found = LeastDivergenceRange(HistogramOf(x), grid);
      EXPECT_LT(SquaredError(x, found, grid),
                4 * SquaredError(x, RangeOfTensor(x), grid))
          << grid.quant_max << ": " << found.min << ".." << found.max;
    }
  }
}

}  // namespace
}  // namespace ns
