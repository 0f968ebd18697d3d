// Finds the extremes and the quantized values in use, beside the sums of the
// vector kernels.
//
// A template over a class `V` of an instruction set: see pair_kernels_simd.h.
#ifndef PASSES_RUNTIME_STATISTICS_PAIR_SIMD_OBSERVERS_H_
#define PASSES_RUNTIME_STATISTICS_PAIR_SIMD_OBSERVERS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "passes/runtime/statistics/codes_in_use.h"
#include "passes/runtime/statistics/pair_kernels.h"
#include "passes/runtime/statistics/pair_simd_values.h"

namespace ns {

template <typename V, typename Choose>
inline float Reduce(typename V::Floats lanes, const Choose& choose) {
  float values[V::kLanes];
  V::Store(values, lanes);
  for (const float value : values) {
    values[0] = choose(values[0], value);
  }
  return values[0];
}

// Finds the smallest and the largest of floats.
template <typename V>
class FloatRange {
 public:
  explicit FloatRange(float first) : min_(V::Set(first)), max_(V::Set(first)) {}

  void Add(typename V::Floats values) {
    min_ = V::Min(min_, values);
    max_ = V::Max(max_, values);
  }
  void Add(typename V::Floats values, typename V::Lanes some) {
    min_ = V::Choose(some, V::Min(min_, values), min_);
    max_ = V::Choose(some, V::Max(max_, values), max_);
  }
  void Finish(float& min, float& max) const {
    min = Reduce<V>(min_, [](float a, float b) { return a < b ? a : b; });
    max = Reduce<V>(max_, [](float a, float b) { return a > b ? a : b; });
  }

 private:
  typename V::Floats min_;
  typename V::Floats max_;
};

// Finds for Accumulate what it needs of y beside the error: its range, where y
// is floats.
template <typename V>
class FloatObserver {
 public:
  explicit FloatObserver(float first) : range_(first) {}

  void AddSteps(int64_t /*i*/, int64_t /*end*/) {}
  void AddRest(int64_t /*i*/, int64_t /*count*/) {}
  void Add(typename V::Floats y) { range_.Add(y); }
  void Add(typename V::Floats y, typename V::Lanes some) {
    range_.Add(y, some);
  }
  void Finish(PairBlock& block) const {
    range_.Finish(block.min_y, block.max_y);
  }

 private:
  FloatRange<V> range_;
};

// Does the same where y is quantized values: its range is that of the quantized
// values, four times as many of which are in a vector.
template <typename V, bool kFlipSign, bool kHasRest>
class CodeObserver {
 public:
  CodeObserver(const uint8_t* codes, const CodeFormat& format)
      : codes_(codes),
        format_(format),
        min_(V::SetBytes(0xFF)),
        max_(V::SetBytes(0)) {}

  // Looks at a whole block before its sums, which leave no register for this.
  void AddSteps(int64_t i, int64_t end) {
    for (; i + kStep<V> <= end; i += kStep<V>) {
      AddCodes(V::LoadBytes(codes_ + i));
    }
  }
  void AddRest(int64_t i, int64_t count) {
    // The rest of the vector is filled with copies of the first value.
    uint8_t rest[kStep<V>];
    std::memset(rest, codes_[i], sizeof(rest));
    std::memcpy(rest, codes_ + i, static_cast<size_t>(count));
    AddCodes(V::LoadBytes(rest));
  }
  void Add(typename V::Floats /*y*/) {}
  void Add(typename V::Floats /*y*/, typename V::Lanes /*some*/) {}
  void Finish(PairBlock& block) const {
    uint8_t lows[kStep<V>];
    uint8_t highs[kStep<V>];
    V::StoreBytes(lows, min_);
    V::StoreBytes(highs, max_);
    uint8_t low = lows[0];
    uint8_t high = highs[0];
    for (int64_t i = 1; i < kStep<V>; ++i) {
      low = lows[i] < low ? lows[i] : low;
      high = highs[i] > high ? highs[i] : high;
    }
    block.min_y = Value(low);
    block.max_y = Value(high);
  }

 protected:
  // Returns the quantized values in the order of their values: 0 is the lowest.
  typename V::Bytes AddCodes(typename V::Bytes codes) {
    if (kFlipSign) {
      codes = V::Xor(codes, V::SetBytes(0x80));
    }
    min_ = V::Min(min_, codes);
    max_ = V::Max(max_, codes);
    return codes;
  }

 private:
  float Value(uint8_t code) const {
    const uint8_t byte = kFlipSign ? code ^ 0x80 : code;
    const CodeLoader<V, kFlipSign, kHasRest> loader(&byte, format_);
    float value[V::kLanes];
    V::Store(value, loader.Load(0, V::FirstLanes(1)));
    return value[0];
  }

  const uint8_t* codes_;
  CodeFormat format_;
  typename V::Bytes min_;
  typename V::Bytes max_;
};

// Also notes which quantized values are used.
template <typename V, bool kFlipSign, bool kHasRest>
class UseObserver : public CodeObserver<V, kFlipSign, kHasRest> {
 public:
  using Base = CodeObserver<V, kFlipSign, kHasRest>;

  UseObserver(const uint8_t* codes, const CodeFormat& format, CodesInUse& use)
      : Base(codes, format), codes_(codes), use_(use) {}

  void AddSteps(int64_t i, int64_t end) {
    constexpr uint8_t kBits[16] = {1, 2, 4, 8, 16, 32, 64, 128,
                                   1, 2, 4, 8, 16, 32, 64, 128};
    const Bytes bit_of_high = V::RepeatBytes(kBits);
    const Bytes highest_bit = V::SetBytes(0x80);
    Bytes used_low = V::RepeatBytes(use_.used);
    Bytes used_high = V::RepeatBytes(use_.used + 16);
    int64_t at_lowest = 0;
    int64_t at_highest = 0;
    for (; i + kStep<V> <= end; i += kStep<V>) {
      const Bytes codes = Base::AddCodes(V::LoadBytes(codes_ + i));
      use_.total += kStep<V>;
      at_lowest += V::CountEqual(codes, V::SetBytes(0));
      at_highest += V::CountEqual(codes, V::SetBytes(0xFF));
      // The look-up of a byte of 128 or more gives zero.
      const Bytes marks =
          V::Or(V::LookUp(used_low, codes),
                V::LookUp(used_high, V::Xor(codes, highest_bit)));
      const Bytes bits = V::LookUp(bit_of_high, V::HighHalves(codes));
      // This is rare: there are only 256 quantized values that can be new.
      if (const uint64_t which = V::WithoutCommonBits(marks, bits)) {
        uint8_t bytes[kStep<V>];
        V::StoreBytes(bytes, codes);
        use_.MarkUsed(bytes, which);
        used_low = V::RepeatBytes(use_.used);
        used_high = V::RepeatBytes(use_.used + 16);
      }
    }
    use_.at_lowest += at_lowest;
    use_.at_highest += at_highest;
  }
  void AddRest(int64_t i, int64_t count) {
    Base::AddRest(i, count);
    use_.Add(codes_ + i, count, kFlipSign);
  }

 private:
  using Bytes = typename V::Bytes;

  const uint8_t* codes_;
  CodesInUse& use_;
};

}  // namespace ns

#endif  // PASSES_RUNTIME_STATISTICS_PAIR_SIMD_OBSERVERS_H_
