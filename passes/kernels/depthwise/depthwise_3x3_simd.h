// Depthwise kernels three columns wide, for instruction sets with vpdpbusd and
// registers enough to keep what neighbouring outputs share, so that no inputs
// are stored on the way. They write outputs of kU8 and kS8, and only full
// lanes.
//
// `V` is as in lane_simd.h; here, too, there is nothing but templates.
#ifndef PASSES_KERNELS_DEPTHWISE_DEPTHWISE_3X3_SIMD_H_
#define PASSES_KERNELS_DEPTHWISE_DEPTHWISE_3X3_SIMD_H_

#include <cstdint>

#include "passes/kernels/depthwise/lane_inline.h"
#include "passes/kernels/depthwise/lane_simd.h"
#include "passes/kernels/depthwise/lane_strip.h"

namespace ns::kernels {

// The common part of the kernels below: kWindowRows rows of inputs from `row`
// on, and the sums of one chunk after the other.
template <typename V, LaneLayout kLayout, bool kFindLargest, int kWindowRows>
class Depthwise3x3 {
 public:
  using Ints = typename V::Ints;

  NS_LANE_INLINE Depthwise3x3(const LaneStrip& strip, int row)
      : strip_(strip),
        output_(strip, 0),
        width_(strip.input_width),
        pixel_(strip.input_pixel),
        padding_(V::SetBytes(strip.zero_point)),
        largest_(V::Zero()) {
    NS_LANE_UNROLL
    for (int i = 0; i < kWindowRows * 4; ++i) {
      rows_[i] = strip.input[row * 4 + i];
    }
  }

  // The largest activations there were.
  Ints largest() const { return largest_; }

 protected:
  // The rows of a column, which may be outside.
  template <bool kMayBeOutside>
  NS_LANE_INLINE void Load(int64_t column, Ints (&rows)[kWindowRows]) {
    if (kMayBeOutside && (column < 0 || column >= width_)) {
      NS_LANE_UNROLL
      for (int i = 0; i < kWindowRows; ++i) {
        rows[i] = padding_;
      }
    } else {
      NS_LANE_UNROLL
      for (int i = 0; i < kWindowRows; ++i) {
        rows[i] =
            LoadLanes<V, kLayout>(strip_, rows_ + i * 4, 0, column * pixel_);
      }
    }
    if (kFindLargest) {
      NS_LANE_UNROLL
      for (int i = 0; i < kWindowRows; ++i) {
        largest_ = V::MaxBytes(largest_, rows[i]);
      }
    }
  }

  NS_LANE_INLINE void Start(Ints (&sums)[4]) const {
    NS_LANE_UNROLL
    for (int chunk = 0; chunk < 4; ++chunk) {
      sums[chunk] = output_.Start(chunk);
    }
  }

  NS_LANE_INLINE static void Add(const int8_t* weights, const Ints (&inputs)[4],
                                 Ints (&sums)[4]) {
    NS_LANE_UNROLL
    for (int chunk = 0; chunk < 4; ++chunk) {
      sums[chunk] =
          V::Dot(sums[chunk], inputs[chunk], V::Load(weights + chunk * 64));
    }
  }

  const LaneStrip& strip_;
  const LaneOutput<V> output_;
  const int64_t width_;
  const int64_t pixel_;
  const Ints padding_;

 private:
  Ints largest_;
  LaneRow rows_[kWindowRows * 4];
};

// The kernel for a stride of 1 and up to four rows in the window of all rows of
// outputs: each column is interleaved once.
template <typename V, LaneLayout kLayout, bool kFindLargest, int kOutputRows>
class DepthwiseStride1 : public Depthwise3x3<V, kLayout, kFindLargest, 4> {
 public:
  using Base = Depthwise3x3<V, kLayout, kFindLargest, 4>;
  using Ints = typename V::Ints;

  NS_LANE_INLINE explicit DepthwiseStride1(const LaneStrip& strip)
      : Base(strip, 0), weights_(strip.weights.narrow) {}

  NS_LANE_INLINE void Run() {
    const int64_t outputs = this->strip_.output_width;
    int64_t column = -this->strip_.padding;
    Ints a[4];
    Ints b[4];
    LoadColumn<true>(column, a);
    LoadColumn<true>(column + 1, b);
    column += 2;
    int64_t j = 0;
    for (; j + 2 <= outputs; j += 2, column += 2) {
      if (column >= 0 && column + 1 < this->width_) {
        Pair<false, true>(j, column, a, b);
      } else {
        Pair<true, true>(j, column, a, b);
      }
    }
    if (j < outputs) {
      Pair<true, false>(j, column, a, b);
    }
  }

 private:
  template <bool kMayBeOutside>
  NS_LANE_INLINE void LoadColumn(int64_t column, Ints (&chunks)[4]) {
    Ints rows[4];
    this->template Load<kMayBeOutside>(column, rows);
    InterleaveFour<V>(rows[0], rows[1], rows[2], rows[3], chunks);
  }

  // The outputs j and j + 1. `a` and `b` are the first two columns of their
  // windows, then those of the next ones; `column` is the third.
  template <bool kMayBeOutside, bool kHasSecond>
  NS_LANE_INLINE void Pair(int64_t j, int64_t column, Ints (&a)[4],
                           Ints (&b)[4]) {
    Ints c[4];
    Ints d[4];
    LoadColumn<kMayBeOutside>(column, c);
    if (kHasSecond) {
      LoadColumn<kMayBeOutside>(column + 1, d);
    }
    NS_LANE_UNROLL
    for (int row = 0; row < kOutputRows; ++row) {
      const int8_t* weights = weights_ + row * 3 * kStepWeights;
      Ints first[4];
      Ints second[4];
      NS_LANE_UNROLL
      for (int chunk = 0; chunk < 4; ++chunk) {
        const int8_t* at = weights + chunk * 64;
        const Ints w0 = V::Load(at);
        const Ints w1 = V::Load(at + kStepWeights);
        const Ints w2 = V::Load(at + 2 * kStepWeights);
        const Ints start = this->output_.Start(chunk);
        first[chunk] = V::Dot(V::Dot(V::Dot(start, a[chunk], w0), b[chunk], w1),
                              c[chunk], w2);
        if (kHasSecond) {
          second[chunk] = V::Dot(
              V::Dot(V::Dot(start, b[chunk], w0), c[chunk], w1), d[chunk], w2);
        }
      }
      this->output_.template WriteBytes<kLayout>(row, j, first);
      if (kHasSecond) {
        this->output_.template WriteBytes<kLayout>(row, j + 1, second);
      }
    }
    if (kHasSecond) {
      NS_LANE_UNROLL
      for (int chunk = 0; chunk < 4; ++chunk) {
        a[chunk] = c[chunk];
        b[chunk] = d[chunk];
      }
    }
  }

  const int8_t* const weights_;
};

// Three rows, a stride of 2. Neighbours share but one of three columns, so that
// interleaving them all by rows would cost more than the sums. Here nine inputs
// take less than three steps:
//
//   e(j), o(j) = columns 2j and 2j + 1, counted from the first window
//   Q(j) = rows 0, 1 and 2 of e(j), row 0 of o(j - 1)
//   R(j) = rows 1 and 2 of o(j), then of o(j + 1), for even j
//
// The output j has weights in Q(j), Q(j + 1) and R(j) or R(j - 1).
template <typename V, LaneLayout kLayout, bool kFindLargest>
class DepthwiseStride2 : public Depthwise3x3<V, kLayout, kFindLargest, 3> {
 public:
  using Base = Depthwise3x3<V, kLayout, kFindLargest, 3>;
  using Ints = typename V::Ints;

  NS_LANE_INLINE DepthwiseStride2(const LaneStrip& strip, int row)
      : Base(strip, row), weights_(strip.weights.stride_2), row_(row) {}

  NS_LANE_INLINE void Run() {
    const int64_t outputs = this->strip_.output_width;
    Ints even[3];
    this->template Load<true>(-this->strip_.padding, even);
    Ints q[4];
    InterleaveFour<V>(even[0], even[1], even[2], this->padding_, q);
    int64_t column = 1 - this->strip_.padding;
    int64_t j = 0;
    for (; j + 2 <= outputs; j += 2, column += 4) {
      if (column >= 0 && column + 3 < this->width_) {
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
  // The outputs j and j + 1, whose columns after the first one begin at
  // `column`. `q` is Q(j), and then Q(j + 2).
  template <bool kMayBeOutside, bool kHasSecond>
  NS_LANE_INLINE void Pair(int64_t j, int64_t column, Ints (&q)[4]) {
    const int8_t* w = weights_;
    Ints first[4];
    Ints second[4];
    this->Start(first);
    this->Start(second);
    this->Add(w, q, first);
    Ints odd[3];
    Ints even[3];
    this->template Load<kMayBeOutside>(column, odd);
    this->template Load<kMayBeOutside>(column + 1, even);
    InterleaveFour<V>(even[0], even[1], even[2], odd[0], q);
    this->Add(w + kStepWeights, q, first);
    this->Add(w, q, second);
    Ints next[3] = {this->padding_, this->padding_, this->padding_};
    if (kHasSecond) {
      this->template Load<kMayBeOutside>(column + 2, next);
    }
    Ints r[4];
    InterleaveFour<V>(odd[1], odd[2], next[1], next[2], r);
    this->Add(w + 2 * kStepWeights, r, first);
    this->output_.template WriteBytes<kLayout>(row_, j, first);
    if (kHasSecond) {
      this->Add(w + 3 * kStepWeights, r, second);
      this->template Load<kMayBeOutside>(column + 3, even);
      InterleaveFour<V>(even[0], even[1], even[2], next[0], q);
      this->Add(w + kStepWeights, q, second);
      this->output_.template WriteBytes<kLayout>(row_, j + 1, second);
    }
  }

  const int8_t* const weights_;
  const int row_;
};

// Computes all outputs of the strip if one of the kernels above can; else does
// nothing and returns false. With kFindLargest, `largest`, zeros at first,
// becomes the largest activation of each channel.
template <typename V, LaneLayout kLayout, bool kFindLargest>
bool RunDepthwise3x3(const LaneStrip& strip, typename V::Ints& largest) {
  const bool is_quantized =
      strip.type == OutputType::kU8 || strip.type == OutputType::kS8;
  if (!is_quantized || strip.weight_zero_points != nullptr ||
      strip.kernel_width != 3 || strip.dilation != 1) {
    return false;
  }
  if (strip.weights.stride_2 != nullptr) {
    for (int row = 0; row < strip.output_rows; ++row) {
      DepthwiseStride2<V, kLayout, kFindLargest> kernel(strip, row);
      kernel.Run();
      largest = V::MaxBytes(largest, kernel.largest());
    }
    return true;
  }
  if (strip.stride != 1 || strip.kernel_rows + strip.output_rows - 1 > 4) {
    return false;
  }
  if (strip.output_rows == 2) {
    DepthwiseStride1<V, kLayout, kFindLargest, 2> kernel(strip);
    kernel.Run();
    largest = kernel.largest();
  } else {
    DepthwiseStride1<V, kLayout, kFindLargest, 1> kernel(strip);
    kernel.Run();
    largest = kernel.largest();
  }
  return true;
}

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_DEPTHWISE_DEPTHWISE_3X3_SIMD_H_
