// What the vector kernels find beside sums.
//
// A template over a class `V` of an instruction set: see pair_kernels_simd.h.
#ifndef PASSES_RUNTIME_PAIR_SIMD_OBSERVERS_H_
#define PASSES_RUNTIME_PAIR_SIMD_OBSERVERS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "passes/runtime/pair_kernels.h"
#include "passes/runtime/pair_simd_values.h"

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

  void AddStep(int64_t /*i*/) {}
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

  void AddStep(int64_t i) { AddCodes(V::LoadBytes(codes_ + i)); }
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

 private:
  void AddCodes(typename V::Bytes codes) {
    if (kFlipSign) {
      codes = V::Xor(codes, V::SetBytes(0x80));
    }
    min_ = V::Min(min_, codes);
    max_ = V::Max(max_, codes);
  }
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

// Counts the codes, too. Vectors are no help here: one counter is stored for
// each element, and what the vector units do meanwhile costs nothing.
template <typename V, bool kFlipSign, bool kHasRest>
class CodeCounter : public CodeObserver<V, kFlipSign, kHasRest> {
 public:
  using Base = CodeObserver<V, kFlipSign, kHasRest>;

  CodeCounter(const uint8_t* codes, const CodeFormat& format,
              ByteCounts& counts)
      : Base(codes, format), codes_(codes), counts_(counts) {}

  void AddStep(int64_t i) {
    Base::AddStep(i);
    for (int64_t word = i; word < i + kStep<V>; word += 8) {
      uint64_t bytes;
      std::memcpy(&bytes, codes_ + word, sizeof(bytes));
      for (int byte = 0; byte < 8; ++byte) {
        ++counts_.tables[byte % ByteCounts::kTables][bytes & 0xFF];
        bytes >>= 8;
      }
    }
  }
  void AddRest(int64_t i, int64_t count) {
    Base::AddRest(i, count);
    CountBytes(codes_ + i, count, counts_);
  }

 private:
  const uint8_t* codes_;
  ByteCounts& counts_;
};

}  // namespace ns

#endif  // PASSES_RUNTIME_PAIR_SIMD_OBSERVERS_H_
