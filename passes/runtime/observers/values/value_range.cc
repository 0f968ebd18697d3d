#include "passes/runtime/observers/values/value_range.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "passes/runtime/observers/values/value_kernels.h"

namespace ns {
namespace {

float FromOrderedBits(int32_t ordered) {
  const int32_t bits = OrderedBits(ordered);
  float x;
  std::memcpy(&x, &bits, sizeof(x));
  return x;
}

// Value by value, for the few tensors that have values to count apart.
ValueRange CountNonFinite(const float* x, int64_t count) {
  ValueRange range;
  for (int64_t i = 0; i < count; ++i) {
    if (std::isnan(x[i])) {
      ++range.nans;
    } else if (std::isinf(x[i])) {
      ++(x[i] > 0 ? range.positive_infs : range.negative_infs);
    } else {
      range.finite.min = std::min(range.finite.min, x[i]);
      range.finite.max = std::max(range.finite.max, x[i]);
    }
  }
  return range;
}

}  // namespace

void ValueRange::Merge(const ValueRange& other) {
  finite.min = std::min(finite.min, other.finite.min);
  finite.max = std::max(finite.max, other.finite.max);
  nans += other.nans;
  positive_infs += other.positive_infs;
  negative_infs += other.negative_infs;
}

Interval ValueRange::WithNonFinite() const {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  Interval all = finite;
  if (nans > 0) {
    all.min = all.max = std::numeric_limits<float>::quiet_NaN();
    return all;
  }
  if (negative_infs > 0) {
    all.min = -kInf;
    all.max = std::max(all.max, -kInf);
  }
  if (positive_infs > 0) {
    all.min = std::min(all.min, kInf);
    all.max = kInf;
  }
  return all;
}

ValueRange RangeOf(const float* x, int64_t count) {
  ValueRange range;
  if (count == 0) {
    return range;
  }
  int32_t least = 0;
  int32_t largest = 0;
  ChosenValueKernels().extremes(x, count, &least, &largest);
  range.finite = {FromOrderedBits(least), FromOrderedBits(largest)};
  const bool is_finite =
      std::isfinite(range.finite.min) && std::isfinite(range.finite.max);
  return is_finite ? range : CountNonFinite(x, count);
}

}  // namespace ns
