// Reads and sums values for the vector kernels.
//
// A template over a class `V` of an instruction set: see pair_kernels_simd.h.
#ifndef PASSES_RUNTIME_STATISTICS_PAIR_SIMD_VALUES_H_
#define PASSES_RUNTIME_STATISTICS_PAIR_SIMD_VALUES_H_

#include <cstdint>

#include "passes/runtime/statistics/pair_kernels.h"

namespace ns {

// The number of vectors in one turn of a loop.
inline constexpr int kUnroll = 4;

// How many elements ahead of their use values are prefetched: enough to hide
// the latency of a cache that all cores share.
inline constexpr int64_t kAhead = kPairBlock;

// Between these bounds, a sum of squares in float is accurate: squares that
// underflowed do not matter, and none overflowed.
inline constexpr float kTinySum = 1e-28F;
inline constexpr float kHugeSum = 1e30F;

// The number of elements in one turn of a loop: as many as there are bytes in a
// vector.
template <typename V>
inline constexpr int64_t kStep = int64_t{kUnroll} * V::kLanes;

template <typename V>
inline void PrefetchFloats(const float* values) {
  constexpr int64_t kLine = 16;
  for (int64_t i = 0; i < kStep<V>; i += kLine) {
    V::Prefetch(values + i);
  }
}

// A sum that is in float within a block, and in double from block to block.
// There are kSums of them, to hide the latency of additions: `part` says which
// one is added to. Call EndBlock behind each block, and Total at the end.
template <typename V, int kSums>
class BlockedSum {
 public:
  void AddSquare(typename V::Floats value, int part) {
    typename V::Floats& sum = sums_[part % kSums];
    sum = V::MultiplyAdd(value, value, sum);
  }
  void Add(typename V::Floats value, int part) {
    typename V::Floats& sum = sums_[part % kSums];
    sum = V::Add(sum, value);
  }
  void EndBlock() {
    for (int i = 1; i < kSums; ++i) {
      sums_[0] = V::Add(sums_[0], sums_[i]);
    }
    total_ =
        V::Add(total_, V::Add(V::LowHalf(sums_[0]), V::HighHalf(sums_[0])));
    for (typename V::Floats& sum : sums_) {
      sum = V::Set(0.0F);
    }
  }
  double Total() const { return V::Sum(total_); }

 private:
  typename V::Floats sums_[kSums] = {};
  typename V::Doubles total_ = {};
};

// Loads the values y of a pair from floats. With `some`, it loads those lanes
// only: the others are zero.
template <typename V>
class FloatLoader {
 public:
  explicit FloatLoader(const float* values) : values_(values) {}

  typename V::Floats Load(int64_t i) const { return V::Load(values_ + i); }
  typename V::Floats Load(int64_t i, typename V::Lanes some) const {
    return V::Load(values_ + i, some);
  }
  void Prefetch(int64_t i) const { PrefetchFloats<V>(values_ + i); }

 private:
  const float* values_;
};

// Does the same from quantized values, which it dequantizes. kFlipSign is
// CodeFormat::flip_sign, and kHasRest whether scale_rest is not 0.
template <typename V, bool kFlipSign, bool kHasRest>
class CodeLoader {
 public:
  CodeLoader(const uint8_t* codes, const CodeFormat& format)
      : codes_(codes),
        steps_(format.zero_point),
        scale_(V::Set(format.scale)),
        scale_rest_(V::Set(format.scale_rest)) {}

  typename V::Floats Load(int64_t i) const {
    return Scaled(steps_(V::LoadCodes(codes_ + i)));
  }
  typename V::Floats Load(int64_t i, typename V::Lanes some) const {
    return V::Keep(some, Scaled(steps_(V::LoadCodes(codes_ + i, some))));
  }
  void Prefetch(int64_t i) const { V::Prefetch(codes_ + i); }

 private:
  typename V::Floats Scaled(typename V::Floats steps) const {
    return kHasRest
               ? V::MultiplyAdd(steps, scale_, V::Multiply(steps, scale_rest_))
               : V::Multiply(steps, scale_);
  }

  const uint8_t* codes_;
  typename V::template Steps<kFlipSign> steps_;
  typename V::Floats scale_;
  typename V::Floats scale_rest_;
};

}  // namespace ns

#endif  // PASSES_RUNTIME_STATISTICS_PAIR_SIMD_VALUES_H_
