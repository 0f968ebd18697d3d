#include "tests/testing/statistics_reference.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "gtest/gtest.h"
#include "passes/runtime/statistics/pair_kernels.h"

namespace ns {
namespace {

// The tolerance of sums in float, where values are all the same, and that of
// sums in double. (Sums of different values are below 2e-7: their rounding
// errors cancel.)
constexpr double kFloatTolerance = 6e-7;
constexpr double kExactTolerance = 1e-12;

bool NeedsDouble(const at::Tensor& tensor) {
  return tensor.scalar_type() == at::kDouble ||
         tensor.scalar_type() == at::kInt || tensor.scalar_type() == at::kLong;
}

at::Tensor AsDouble(const at::Tensor& tensor) {
  return (tensor.is_quantized() ? tensor.dequantize() : tensor)
      .to(at::kDouble)
      .contiguous();
}

bool HasByteCodes(const at::Tensor& tensor) {
  return tensor.scalar_type() == at::kQUInt8 ||
         tensor.scalar_type() == at::kQInt8;
}

// Computes the statistics with LibTorch's float64 operators.
TensorStatistics Reference(const at::Tensor& x, const at::Tensor& y,
                           int64_t channel_dim) {
  const at::Tensor a = AsDouble(x);
  const at::Tensor b = AsDouble(y);
  // Equal infinities differ by nothing.
  const at::Tensor e = at::where(a == b, at::zeros_like(a), a - b);
  TensorStatistics expected;
  PairStatistics& sums = expected.sums;
  sums.count = a.numel();
  sums.sum_x2 = a.square().sum().item<double>();
  sums.sum_y2 = b.square().sum().item<double>();
  sums.sum_xy = (a * b).sum().item<double>();
  sums.sum_e2 = e.square().sum().item<double>();
  sums.sum_e = e.sum().item<double>();
  if (a.numel() > 0) {
    sums.max_abs_error = e.abs().max().item<double>();
    sums.min_x = a.min().item<double>();
    sums.max_x = a.max().item<double>();
    sums.min_y = b.min().item<double>();
    sums.max_y = b.max().item<double>();
  }
  sums.nan_x = a.isnan().sum().item<int64_t>();
  sums.inf_x = a.isinf().sum().item<int64_t>();
  sums.nan_y = b.isnan().sum().item<int64_t>();
  sums.inf_y = b.isinf().sum().item<int64_t>();
  if (HasByteCodes(y)) {
    const int64_t lowest = y.scalar_type() == at::kQInt8 ? -128 : 0;
    const at::Tensor counts =
        at::bincount(y.int_repr().to(at::kLong).flatten() - lowest, {}, 256);
    const int64_t* count = counts.data_ptr<int64_t>();
    expected.codes.total = y.numel();
    expected.codes.at_lowest = count[0];
    expected.codes.at_highest = count[255];
    for (int code = 0; code < 256; ++code) {
      const auto byte = static_cast<uint8_t>(code);
      expected.codes.MarkUsed(&byte, count[code] > 0 ? 1 : 0);
    }
  }
  if (channel_dim >= 0 && channel_dim < a.dim()) {
    const int64_t channels = a.size(channel_dim);
    const auto by_channel = [&](const at::Tensor& values) {
      return values.square()
          .transpose(0, channel_dim)
          .reshape({channels, channels == 0 ? 0 : a.numel() / channels})
          .sum(1);
    };
    const at::Tensor x2 = by_channel(a);
    const at::Tensor e2 = by_channel(e);
    for (int64_t i = 0; i < channels; ++i) {
      expected.channels.push_back({x2[i].item<double>(), e2[i].item<double>()});
    }
  }
  return expected;
}

// Compares numbers; nan and inf must be the same.
void ExpectNear(double actual, double expected, double tolerance,
                const char* what) {
  const bool same = actual == expected ||
                    (std::isnan(actual) && std::isnan(expected)) ||
                    std::abs(actual - expected) <= tolerance;
  EXPECT_TRUE(same) << what << ": " << actual << " instead of " << expected
                    << ", off by " << (actual - expected) / expected;
}

}  // namespace

double ToleranceOf(const at::Tensor& x, const at::Tensor& y) {
  return NeedsDouble(x) || NeedsDouble(y) ? kExactTolerance : kFloatTolerance;
}

void ExpectSameStatistics(const TensorStatistics& actual,
                          const TensorStatistics& expected, double sums,
                          double extremes) {
  const PairStatistics& a = actual.sums;
  const PairStatistics& b = expected.sums;
  EXPECT_EQ(a.count, b.count);
  ExpectNear(a.sum_x2, b.sum_x2, sums * b.sum_x2, "sum_x2");
  ExpectNear(a.sum_y2, b.sum_y2, sums * b.sum_y2, "sum_y2");
  ExpectNear(a.sum_e2, b.sum_e2, sums * b.sum_e2, "sum_e2");
  // These are sums of terms of both signs: their rounding errors are relative
  // to the terms.
  ExpectNear(a.sum_e, b.sum_e,
             2 * sums * std::sqrt(static_cast<double>(b.count) * b.sum_e2),
             "sum_e");
  ExpectNear(a.sum_xy, b.sum_xy, 2 * sums * std::max(b.sum_x2, b.sum_y2),
             "sum_xy");
  ExpectNear(a.max_abs_error, b.max_abs_error, extremes * b.max_abs_error,
             "max_abs_error");
  ExpectNear(a.min_x, b.min_x, 0, "min_x");
  ExpectNear(a.max_x, b.max_x, 0, "max_x");
  ExpectNear(a.min_y, b.min_y, 0, "min_y");
  ExpectNear(a.max_y, b.max_y, 0, "max_y");
  EXPECT_EQ(a.nan_x, b.nan_x);
  EXPECT_EQ(a.inf_x, b.inf_x);
  EXPECT_EQ(a.nan_y, b.nan_y);
  EXPECT_EQ(a.inf_y, b.inf_y);
  EXPECT_EQ(actual.codes, expected.codes);
  ASSERT_EQ(actual.channels.size(), expected.channels.size());
  for (size_t i = 0; i < actual.channels.size(); ++i) {
    SCOPED_TRACE(i);
    const ChannelSums& channel = expected.channels[i];
    ExpectNear(actual.channels[i].sum_x2, channel.sum_x2, sums * channel.sum_x2,
               "sum_x2 of channel");
    ExpectNear(actual.channels[i].sum_e2, channel.sum_e2, sums * channel.sum_e2,
               "sum_e2 of channel");
  }
}

void ExpectStatisticsOfReference(const at::Tensor& x, const at::Tensor& y,
                                 int64_t channel_dim) {
  const TensorStatistics expected = Reference(x, y, channel_dim);
  for (const PairKernels* kernels : AvailablePairKernels()) {
    SCOPED_TRACE(kernels->isa);
    const ScopedPairKernels scoped(*kernels);
    ExpectSameStatistics(CompareTensors(x, y, {true, channel_dim}), expected,
                         ToleranceOf(x, y), kFloatTolerance);
    const PairStatistics errors = CompareErrors(x, y);
    EXPECT_EQ(errors.count, expected.sums.count);
    for (const auto member :
         {&PairStatistics::sum_x2, &PairStatistics::sum_e2}) {
      ExpectNear(errors.*member, expected.sums.*member,
                 ToleranceOf(x, y) * expected.sums.*member, "CompareErrors");
    }
  }
}

}  // namespace ns
