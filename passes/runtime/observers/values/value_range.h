// The range of floats, with what is no number and what is infinite apart.
#ifndef PASSES_RUNTIME_OBSERVERS_VALUES_VALUE_RANGE_H_
#define PASSES_RUNTIME_OBSERVERS_VALUES_VALUE_RANGE_H_

#include <cstdint>
#include <limits>

namespace ns {

// From the least value to the largest; as constructed, without values.
struct Interval {
  float min = std::numeric_limits<float>::infinity();
  float max = -std::numeric_limits<float>::infinity();

  bool IsEmpty() const { return *this == Interval(); }
  bool operator==(const Interval& other) const {
    return min == other.min && max == other.max;
  }
  bool operator!=(const Interval& other) const { return !(*this == other); }
};

struct ValueRange {
  Interval finite;
  int64_t nans = 0;
  int64_t positive_infs = 0;
  int64_t negative_infs = 0;

  int64_t NonFinite() const { return nans + positive_infs + negative_infs; }

  void Merge(const ValueRange& other);

  // The range of all values, as torch.aminmax gives it: infinite where values
  // are, nan on both sides where there is one.
  Interval WithNonFinite() const;
};

// Of `count` values.
ValueRange RangeOf(const float* x, int64_t count);

}  // namespace ns

#endif  // PASSES_RUNTIME_OBSERVERS_VALUES_VALUE_RANGE_H_
