#include "passes/runtime/observers/values/squared_error.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <vector>

#include "gtest/gtest.h"

namespace ns {
namespace {

ExactHistogram HistogramOf(const at::Tensor& x) {
  ExactHistogram histogram;
  histogram.Add(x.data_ptr<float>(), x.numel());
  return histogram;
}

// By quantizing all values, in units of the histogram's bins.
double Measured(const at::Tensor& x, const QParams& qparams,
                const QuantGrid& grid, double width) {
  const at::Tensor y = at::fake_quantize_per_tensor_affine(
      x, qparams.scale, qparams.zero_point, grid.quant_min, grid.quant_max);
  return ((x - y).to(at::kDouble) / width).pow(2).sum().item<double>();
}

TEST(SquaredErrorTest, IsWhatQuantizingCosts) {
  const at::Tensor normal = at::randn({200000});
  for (const at::Tensor& x : {normal, normal.relu(), -normal.abs(),
                              normal.pow(3), at::rand({200000}) + 3}) {
    const ExactHistogram histogram = HistogramOf(x);
    const SquaredError error(histogram);
    for (const int64_t quant_max : {1, 15, 127, 255}) {
      QuantGrid grid;
      grid.quant_max = quant_max;
      for (const QParams& qparams : std::vector<QParams>{
               {8.0 / static_cast<double>(quant_max), quant_max / 2},
               {2.0 / static_cast<double>(quant_max), 0},
               {30.0 / static_cast<double>(quant_max), quant_max},
               {0.5, 1}}) {
        const double expected = Measured(x, qparams, grid, histogram.width());
        EXPECT_NEAR(error.Of(qparams, grid) / expected, 1, 0.02)
            << qparams.scale << ", " << qparams.zero_point << " of "
            << quant_max;
      }
    }
  }
}

TEST(SquaredErrorTest, StepsMayBeShorterThanBins) {
  const at::Tensor x =
      at::cat({at::linspace(-1, 1, 100000) * 1e-3, at::ones({1})});
  const ExactHistogram histogram = HistogramOf(x);
  QuantGrid grid;
  grid.quant_min = -(int64_t{1} << 31);
  grid.quant_max = (int64_t{1} << 31) - 1;
  EXPECT_LT(SquaredError(histogram).Of({1e-9, 0}, grid), 1e-3);
  // All but what is clipped.
  EXPECT_NEAR(SquaredError(histogram).Of({0.5e-9, 1 << 30}, grid) /
                  Measured(x, {0.5e-9, 1 << 30}, grid, histogram.width()),
              1, 0.01);
}

TEST(SquaredErrorTest, ZerosCostNothing) {
  const ExactHistogram histogram = HistogramOf(at::zeros({100}));
  EXPECT_EQ(SquaredError(histogram).Of({0.1, 7}, QuantGrid()), 0);
}

}  // namespace
}  // namespace ns
