// What the vector kernels find beside sums.
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

// The smallest and the largest of floats.
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

// What Accumulate wants to know of y beside the error: its squares and its
// range where it is floats.
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

// The same where y is codes: its range is that of its codes, four times as many
// of which are in a vector.
template <typename V, bool kFlipSign, bool kHasRest>
class CodeObserver {
 public:
  CodeObserver(const uint8_t* codes, const CodeFormat& format)
      : codes_(codes),
        format_(format),
        min_(V::SetBytes(0xFF)),
        max_(V::SetBytes(0)) {}

  // Of a whole block before its sums, which leave no register to it.
  void AddSteps(int64_t i, int64_t end) {
    for (; i + kStep<V> <= end; i += kStep<V>) {
      AddCodes(V::LoadBytes(codes_ + i));
    }
  }
  void AddRest(int64_t i, int64_t count) {
    // The first one over and over in what is left of a vector.
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
  // Returns them in the order of their values: 0 is the lowest.
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

// Notes which codes are used, too.
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
      // What is looked up for a byte of 128 and more is zero.
      const Bytes marks =
          V::Or(V::LookUp(used_low, codes),
                V::LookUp(used_high, V::Xor(codes, highest_bit)));
      const Bytes bits = V::LookUp(bit_of_high, V::HighHalves(codes));
      // Rare: there are but 256 codes to be new.
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
