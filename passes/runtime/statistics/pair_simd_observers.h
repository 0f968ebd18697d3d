// Finds the range of y, and which quantized values it uses, while Accumulate
// (pair_simd_sums.h) sums over x and y.
//
// Accumulate goes through the elements in blocks. An observer is a class whose
// methods it calls like this:
//
// - AddSteps(i, end), first, for each block of elements [i, end). Only whole
//   steps of kStep<V> elements are of concern.
// - Add(y), for each vector of y in these steps.
// - AddRest(i, count), if `count` elements are left behind the last whole step.
// - Add(y, some), for each vector of that rest. `some` says which lanes hold
//   elements.
// - Finish(block), once at the end. Writes the range to min_y and max_y.
//
// An observer does its work in those methods that suit it; the others do
// nothing. These are templates over a class `V` of an instruction set: see
// pair_kernels_simd.h.
#ifndef PASSES_RUNTIME_STATISTICS_PAIR_SIMD_OBSERVERS_H_
#define PASSES_RUNTIME_STATISTICS_PAIR_SIMD_OBSERVERS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "passes/runtime/statistics/codes_in_use.h"
#include "passes/runtime/statistics/pair_kernels.h"
#include "passes/runtime/statistics/pair_simd_values.h"

namespace ns {

// Returns what is left of all lanes when `choose(a, b)` picks one of two
// values.
template <typename V, typename Choose>
inline float Reduce(typename V::Floats lanes, const Choose& choose) {
  float values[V::kLanes];
  V::Store(values, lanes);
  for (const float value : values) {
    values[0] = choose(values[0], value);
  }
  return values[0];
}

// Finds the smallest and the largest of floats. `first` is one of them.
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

// The observer for a y of floats: finds its range. `first` is one of them.
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

// The observer for a y of quantized values. It reads them from `codes`, the
// memory that the CodeLoader of Accumulate reads, and finds their range before
// they are dequantized: a vector holds four times as many bytes as floats.
//
// kFlipSign is CodeFormat::flip_sign. kHasRest says that CodeFormat::scale_rest
// is not 0.
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
  // Adds a vector of quantized values to the range. Returns them as unsigned
  // bytes, in which 0 is the lowest quantized value and 255 the highest.
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

// Also adds to `use` which quantized values occur.
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
