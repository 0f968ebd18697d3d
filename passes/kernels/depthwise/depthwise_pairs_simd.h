// Computes depthwise sums that saturate in pairs of taps, once for all
// instruction sets.
//
// Which taps (positions of the kernel) form a pair depends on their order in
// the window, so neighbouring outputs share no pairs: each output interleaves
// the taps of its own window, four at a time. `V` is as in lane_simd.h; here,
// too, there is nothing but templates.
#ifndef PASSES_KERNELS_DEPTHWISE_DEPTHWISE_PAIRS_SIMD_H_
#define PASSES_KERNELS_DEPTHWISE_DEPTHWISE_PAIRS_SIMD_H_

#include <cstdint>

#include "passes/kernels/depthwise/lane_inline.h"
#include "passes/kernels/depthwise/lane_simd.h"
#include "passes/kernels/depthwise/lane_strip.h"
#include "passes/kernels/simd/products.h"

namespace ns::kernels {

// Computes the part `part` of the block of `strip` (lane_simd.h): 0 with four
// lanes in a vector. It keeps a reference to the strip, and reads the weights
// `in_order`.
template <typename V>
class DepthwisePairs {
 public:
  using Ints = typename V::Ints;

  DepthwisePairs(const LaneStrip& strip, int part)
      : strip_(strip),
        part_(part),
        taps_(strip.kernel_rows * strip.kernel_width) {}

  // Computes the outputs of the columns [begin, end), at most
  // LaneStrip::outputs_at_once of them, in all rows of the strip.
  template <LaneLayout kLayout>
  void Run(int64_t begin, int64_t end) const {
    const int64_t reach = (strip_.kernel_width - 1) * strip_.dilation + 1;
    const int64_t first = begin * strip_.stride - strip_.padding;
    const int64_t last = (end - 1) * strip_.stride - strip_.padding + reach;
    const int64_t rows = strip_.kernel_rows + strip_.output_rows - 1;
    const int64_t row_bytes = (last - first) * V::kBytes;
    CopyRows<kLayout>(rows, first, last);
    for (int row = 0; row < strip_.output_rows; ++row) {
      const uint8_t* windows = strip_.scratch + row * row_bytes;
      if (strip_.weight_zero_points != nullptr) {
        SumRow<false, true>(row, begin, end, windows, row_bytes);
      } else if (taps_ == 9 && strip_.kernel_width == 3) {
        SumRow<true, false>(row, begin, end, windows, row_bytes);
      } else {
        SumRow<false, false>(row, begin, end, windows, row_bytes);
      }
    }
  }

 private:
  // A dense copy of the window's rows, with padding, in scratch memory.
  template <LaneLayout kLayout>
  void CopyRows(int64_t rows, int64_t first, int64_t last) const {
    const ColumnRange inside = ColumnsInside<V>(strip_, first, last);
    const Ints padding = V::SetBytes(strip_.zero_point);
    uint8_t* to = strip_.scratch;
    for (int64_t row = 0; row < rows; ++row) {
      for (int64_t column = first; column < last; ++column, to += V::kBytes) {
        const bool is_inside = column >= inside.begin && column < inside.end;
        V::Store(to, is_inside ? LoadLanes<V, kLayout>(
                                     strip_, strip_.input + row * 4, part_,
                                     column * strip_.input_pixel)
                               : padding);
      }
    }
  }

  // The outputs of row `row` and the columns [begin, end), the first window of
  // which begins at `window`.
  template <bool kIs3x3, bool kHasZeroPoints>
  void SumRow(int row, int64_t begin, int64_t end, const uint8_t* window,
              int64_t row_bytes) const {
    const LaneOutput<V> output(strip_, part_);
    const int64_t next = strip_.dilation * V::kBytes;
    const int64_t stride = strip_.stride * V::kBytes;
    const int64_t width = kIs3x3 ? 3 : strip_.kernel_width;
    const int64_t count = kIs3x3 ? 9 : taps_;
    const int8_t* weights = strip_.weights.in_order + part_ * V::kBytes;
    for (int64_t column = begin; column < end; ++column, window += stride) {
      Ints sums[4];
      Ints row_sums[4];
      NS_LANE_UNROLL
      for (int chunk = 0; chunk < 4; ++chunk) {
        sums[chunk] = output.Start(chunk);
        row_sums[chunk] = V::Zero();
      }
      int64_t x = 0;
      int64_t y = 0;
      for (int64_t tap = 0; tap < count; tap += 4) {
        // Taps after the last one have weights of 0.
        Ints taps[4] = {V::Zero(), V::Zero(), V::Zero(), V::Zero()};
        NS_LANE_UNROLL
        for (int i = 0; i < 4; ++i) {
          if (tap + i < count) {
            taps[i] = V::Load(window + y * row_bytes + x * next);
            if (++x == width) {
              x = 0;
              ++y;
            }
          }
        }
        Ints chunks[4];
        InterleaveFour<V>(taps[0], taps[1], taps[2], taps[3], chunks);
        NS_LANE_UNROLL
        for (int chunk = 0; chunk < 4; ++chunk) {
          sums[chunk] =
              AddSaturatedProducts<V>(sums[chunk], chunks[chunk],
                                      V::Load(weights + tap * 64 + chunk * 64));
          if (kHasZeroPoints) {
            // No sum of two bytes saturates, and what is not there is 0.
            row_sums[chunk] = AddSaturatedProducts<V>(
                row_sums[chunk], chunks[chunk], V::SetBytes(1));
          }
        }
      }
      if (kHasZeroPoints) {
        NS_LANE_UNROLL
        for (int chunk = 0; chunk < 4; ++chunk) {
          sums[chunk] = output.Correct(chunk, sums[chunk], row_sums[chunk]);
        }
      }
      output.Write(row, column, sums);
    }
  }

  const LaneStrip& strip_;
  const int part_;
  const int64_t taps_;
};

// Computes all outputs of the strip.
template <typename V, LaneLayout kLayout>
void RunDepthwisePairs(const LaneStrip& strip) {
  for (int part = 0; part * V::kBytes < 64; ++part) {
    const DepthwisePairs<V> pairs(strip, part);
    for (int64_t begin = 0; begin < strip.output_width;
         begin += strip.outputs_at_once) {
      const int64_t end = begin + strip.outputs_at_once;
      pairs.template Run<kLayout>(
          begin, end < strip.output_width ? end : strip.output_width);
    }
  }
}

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_DEPTHWISE_DEPTHWISE_PAIRS_SIMD_H_
