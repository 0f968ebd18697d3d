#include "passes/runtime/observers/activation_histogram.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <tuple>
#include <utility>

#include "gtest/gtest.h"
#include "passes/runtime/observers/qparams.h"

namespace ns {
namespace {

constexpr int64_t kSteps = 255;

double SquaredError(const at::Tensor& x, std::pair<float, float> range) {
  const QParams qparams =
      ChooseQParams(range.first, range.second, 0, kSteps, /*symmetric=*/false);
  const at::Tensor y = at::fake_quantize_per_tensor_affine(
      x, qparams.scale, qparams.zero_point, 0, kSteps);
  return (x - y).pow(2).sum().item<double>();
}

TEST(ActivationHistogramTest, NothingSeenIsAnEmptyRange) {
  EXPECT_EQ(ActivationHistogram().BestRange(kSteps), std::pair(0.0F, 0.0F));
  ActivationHistogram histogram;
  histogram.Add(at::empty({0}));
  EXPECT_EQ(histogram.BestRange(kSteps), std::pair(0.0F, 0.0F));
}

TEST(ActivationHistogramTest, UniformValuesKeepTheirRange) {
  ActivationHistogram histogram;
  histogram.Add(at::linspace(-1, 3, 10000));
  const auto [min, max] = histogram.BestRange(kSteps);
  EXPECT_NEAR(min, -1, 0.05);
  EXPECT_NEAR(max, 3, 0.05);
}

TEST(ActivationHistogramTest, OneValueIsItsOwnRange) {
  ActivationHistogram histogram;
  histogram.Add(at::full({5}, 2.0));
  EXPECT_EQ(histogram.BestRange(kSteps), std::pair(2.0F, 2.0F));
}

TEST(ActivationHistogramTest, AnOutlierIsClippedWhereThatLosesLess) {
  at::manual_seed(1);
  const at::Tensor x = at::cat({at::randn({1000000}), at::full({1}, 30.0)});
  ActivationHistogram histogram;
  histogram.Add(x);
  const std::pair<float, float> range = histogram.BestRange(kSteps);
  EXPECT_LT(range.second, 20);
  EXPECT_LT(
      SquaredError(x, range),
      0.9 * SquaredError(x, {x.min().item<float>(), x.max().item<float>()}));
}

TEST(ActivationHistogramTest, BatchesCountAsOneTensor) {
  at::manual_seed(1);
  const at::Tensor x = at::randn({4000});
  ActivationHistogram whole;
  whole.Add(x);
  ActivationHistogram parts;
  // The range grows on both sides.
  for (const at::Tensor& part : std::get<0>(x.sort()).chunk(5)) {
    parts.Add(part);
  }
  const auto [min, max] = whole.BestRange(kSteps);
  const auto [parts_min, parts_max] = parts.BestRange(kSteps);
  EXPECT_NEAR(parts_min, min, 0.1);
  EXPECT_NEAR(parts_max, max, 0.1);
}

TEST(ActivationHistogramTest, StateBringsItBack) {
  ActivationHistogram histogram;
  histogram.Add(at::randn({100}));
  EXPECT_EQ(ActivationHistogram::FromState(histogram.State()).State(),
            histogram.State());
  EXPECT_TRUE(ActivationHistogram::FromState(ActivationHistogram().State())
                  .State()
                  .empty());
  EXPECT_THROW(ActivationHistogram::FromState({1, 2, 3}), c10::Error);
}

}  // namespace
}  // namespace ns
