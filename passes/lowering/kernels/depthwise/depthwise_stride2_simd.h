// Depthwise kernels of 3x3 with a stride of 2 along rows, for instruction sets
// with vpdpbusd and 32 registers.
//
// Neighbouring outputs share but one of three columns, so that interleaving all
// of them by rows would cost more than the sums. Here nine inputs take less
// than three steps, and none is stored:
//
//   e(j), o(j) = columns 2j and 2j + 1, counted from the first window
//   Q(j) = rows 0, 1 and 2 of e(j), row 0 of o(j - 1)
//   R(j) = rows 1 and 2 of o(j), then of o(j + 1), for even j
//
// The output j has weights in Q(j), Q(j + 1) and R(j) or R(j - 1). `V` is as in
// lane_simd.h; here, too, there is nothing but templates.
#ifndef PASSES_LOWERING_KERNELS_DEPTHWISE_DEPTHWISE_STRIDE2_SIMD_H_
#define PASSES_LOWERING_KERNELS_DEPTHWISE_DEPTHWISE_STRIDE2_SIMD_H_

#include <cstdint>

#include "passes/lowering/kernels/depthwise/lane_simd.h"
#include "passes/lowering/kernels/depthwise/lane_strip.h"

namespace ns::kernels {

template <typename V, LaneLayout kLayout>
class DepthwiseStride2 {
 public:
  using Ints = typename V::Ints;

  explicit DepthwiseStride2(const LaneStrip& strip)
      : strip_(strip), output_(strip, 0), weights_(strip.weights.stride_2) {
    for (int i = 0; i < 12; ++i) {
      rows_[i] = strip.input[i];
    }
  }

  // All outputs of the strip's row.
  void Run() const {
    const int64_t width = strip_.input_width;
    const int64_t outputs = strip_.output_width;
    const Ints padding = V::SetBytes(strip_.zero_point);
    Ints a, b, c;
    Load<true>(-strip_.padding, a, b, c);
    Ints q[4];
    InterleaveFour<V>(a, b, c, padding, q);
    int64_t column = 1 - strip_.padding;
    int64_t j = 0;
    for (; j + 2 <= outputs; j += 2, column += 4) {
      if (column >= 0 && column + 3 < width) {
        Pair<false, true>(j, column, q);
      } else {
        Pair<true, true>(j, column, q);
      }
    }
    if (j < outputs) {
      Pair<true, false>(j, column, q);
    }
  }

 private:
  // The three rows of a column, which may be outside.
  template <bool kMayBeOutside>
  [[gnu::always_inline]] void Load(int64_t column, Ints& a, Ints& b,
                                   Ints& c) const {
    if (kMayBeOutside && (column < 0 || column >= strip_.input_width)) {
      a = b = c = V::SetBytes(strip_.zero_point);
      return;
    }
    const int64_t at = column * strip_.input_pixel;
    a = LoadLanes<V, kLayout>(strip_, rows_, 0, at);
    b = LoadLanes<V, kLayout>(strip_, rows_ + 4, 0, at);
    c = LoadLanes<V, kLayout>(strip_, rows_ + 8, 0, at);
  }

  [[gnu::always_inline]] void Add(int step, const Ints (&inputs)[4],
                                  Ints (&sums)[4]) const {
#pragma unroll
    for (int chunk = 0; chunk < 4; ++chunk) {
      sums[chunk] =
          V::Dot(sums[chunk], inputs[chunk],
                 V::Load(weights_ + step * kStepWeights + chunk * 64));
    }
  }

  [[gnu::always_inline]] void Start(Ints (&sums)[4]) const {
#pragma unroll
    for (int chunk = 0; chunk < 4; ++chunk) {
      sums[chunk] = output_.Start(chunk);
    }
  }

  // The outputs j and j + 1, whose columns after the first one begin at
  // `column`. `q` is Q(j), and then Q(j + 2).
  template <bool kMayBeOutside, bool kHasSecond>
  [[gnu::always_inline]] void Pair(int64_t j, int64_t column,
                                   Ints (&q)[4]) const {
    Ints first[4];
    Ints second[4];
    Start(first);
    Start(second);
    Add(0, q, first);
    Ints odd0, odd1, odd2, even0, even1, even2;
    Load<kMayBeOutside>(column, odd0, odd1, odd2);
    Load<kMayBeOutside>(column + 1, even0, even1, even2);
    InterleaveFour<V>(even0, even1, even2, odd0, q);
    Add(1, q, first);
    Add(0, q, second);
    Ints next0, next1, next2;
    Load<kMayBeOutside>(column + 2, next0, next1, next2);
    Ints r[4];
    InterleaveFour<V>(odd1, odd2, next1, next2, r);
    Add(2, r, first);
    output_.Write(0, j, first);
    if (kHasSecond) {
      Add(3, r, second);
      Load<kMayBeOutside>(column + 3, even0, even1, even2);
      InterleaveFour<V>(even0, even1, even2, next0, q);
      Add(1, q, second);
      output_.Write(0, j + 1, second);
    }
  }

  const LaneStrip& strip_;
  const LaneOutput<V> output_;
  const int8_t* const weights_;
  LaneRow rows_[12];
};

}  // namespace ns::kernels

#endif  // PASSES_LOWERING_KERNELS_DEPTHWISE_DEPTHWISE_STRIDE2_SIMD_H_
