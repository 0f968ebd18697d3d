#include "passes/runtime/pair_statistics.h"

#include <ATen/ATen.h>

#include <cmath>
#include <limits>

namespace ns {
namespace {

// Independent sums, so that the compiler may use vector registers: it must not
// reorder one chain of additions.
constexpr int64_t kLanes = 8;

// The larger one, or nan when one is nan. std::max would drop a nan.
inline double MaxOrNan(double current, double candidate) {
  return (candidate > current || candidate != candidate) ? candidate : current;
}

template <typename T>
PairStatistics Accumulate(const T* __restrict x, const T* __restrict y,
                          int64_t count) {
  double x2[kLanes] = {}, y2[kLanes] = {}, xy[kLanes] = {}, e2[kLanes] = {};
  double max_error[kLanes] = {};
  const int64_t whole = count - count % kLanes;
  for (int64_t i = 0; i < whole; i += kLanes) {
    for (int64_t lane = 0; lane < kLanes; ++lane) {
      const double a = x[i + lane];
      const double b = y[i + lane];
      const double e = a - b;
      x2[lane] += a * a;
      y2[lane] += b * b;
      xy[lane] += a * b;
      e2[lane] += e * e;
      max_error[lane] = MaxOrNan(max_error[lane], std::fabs(e));
    }
  }
  PairStatistics sums;
  sums.count = count;
  for (int64_t i = whole; i < count; ++i) {
    const double a = x[i];
    const double b = y[i];
    const double e = a - b;
    sums.sum_x2 += a * a;
    sums.sum_y2 += b * b;
    sums.sum_xy += a * b;
    sums.sum_e2 += e * e;
    sums.max_abs_error = MaxOrNan(sums.max_abs_error, std::fabs(e));
  }
  for (int64_t lane = 0; lane < kLanes; ++lane) {
    sums.sum_x2 += x2[lane];
    sums.sum_y2 += y2[lane];
    sums.sum_xy += xy[lane];
    sums.sum_e2 += e2[lane];
    sums.max_abs_error = MaxOrNan(sums.max_abs_error, max_error[lane]);
  }
  return sums;
}

// `tensor` as float32 or, where that would round its values, as float64.
at::Tensor AsFloat(const at::Tensor& tensor) {
  const at::Tensor strided =
      tensor.is_quantized()
          ? tensor.dequantize()
          : (tensor.layout() == at::kStrided ? tensor : tensor.to_dense());
  switch (strided.scalar_type()) {
    case at::kFloat:
    case at::kDouble:
      return strided.resolve_neg();
    case at::kInt:
    case at::kLong:
      return strided.to(at::kDouble);
    default:
      TORCH_CHECK(!strided.is_complex(), "cannot compare tensors of dtype ",
                  strided.scalar_type());
      return strided.to(at::kFloat);
  }
}

// True when element i in memory of `x` and of `y` have the same indices.
bool SameDenseLayout(const at::Tensor& x, const at::Tensor& y) {
  for (const auto format :
       {at::MemoryFormat::Contiguous, at::MemoryFormat::ChannelsLast,
        at::MemoryFormat::ChannelsLast3d}) {
    if (x.is_contiguous(format) && y.is_contiguous(format)) {
      return true;
    }
  }
  return x.is_non_overlapping_and_dense() && x.strides() == y.strides();
}

// The layout to bring two tensors to that differ in theirs: that of the one
// which has its channels last, as quantized convolutions have. LibTorch copies
// in this direction four times as fast as in the other.
at::MemoryFormat CommonFormat(const at::Tensor& x, const at::Tensor& y) {
  for (const auto format :
       {at::MemoryFormat::ChannelsLast, at::MemoryFormat::ChannelsLast3d}) {
    if (x.is_contiguous(format) || y.is_contiguous(format)) {
      return format;
    }
  }
  return at::MemoryFormat::Contiguous;
}

}  // namespace

void PairStatistics::Merge(const PairStatistics& other) {
  count += other.count;
  sum_x2 += other.sum_x2;
  sum_y2 += other.sum_y2;
  sum_xy += other.sum_xy;
  sum_e2 += other.sum_e2;
  max_abs_error = MaxOrNan(max_abs_error, other.max_abs_error);
}

double PairStatistics::SqnrDb() const {
  if (sum_e2 == 0) {
    // Also where sum_x2 is inf: log10(inf / 0) would do, but division by zero
    // is undefined in C++.
    return sum_x2 > 0 ? std::numeric_limits<double>::infinity()
                      : std::numeric_limits<double>::quiet_NaN();
  }
  return 10 * std::log10(sum_x2 / sum_e2);
}

double PairStatistics::NormalizedL2() const {
  if (sum_x2 == 0) {
    return sum_e2 > 0 ? std::numeric_limits<double>::infinity()
                      : std::numeric_limits<double>::quiet_NaN();
  }
  return std::sqrt(sum_e2 / sum_x2);
}

double PairStatistics::Cosine() const {
  if (sum_x2 == 0 || sum_y2 == 0) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  const double cosine = sum_xy / (std::sqrt(sum_x2) * std::sqrt(sum_y2));
  // Rounding may step over the ends; nan compares false and stays.
  return cosine > 1 ? 1 : cosine < -1 ? -1 : cosine;
}

PairStatistics ComparePair(const at::Tensor& x, const at::Tensor& y) {
  TORCH_CHECK(x.defined() && y.defined(), "cannot compare undefined tensors");
  TORCH_CHECK(x.sizes() == y.sizes(), "cannot compare tensors of shapes ",
              x.sizes(), " and ", y.sizes());
  at::NoGradGuard no_grad;
  at::Tensor a = AsFloat(x);
  at::Tensor b = AsFloat(y);
  if (a.scalar_type() != b.scalar_type()) {
    a = a.to(at::kDouble);
    b = b.to(at::kDouble);
  }
  if (!SameDenseLayout(a, b)) {
    const at::MemoryFormat format = CommonFormat(a, b);
    a = a.contiguous(format);
    b = b.contiguous(format);
  }
  const int64_t count = a.numel();
  return a.scalar_type() == at::kDouble
             ? Accumulate(a.data_ptr<double>(), b.data_ptr<double>(), count)
             : Accumulate(a.data_ptr<float>(), b.data_ptr<float>(), count);
}

}  // namespace ns
