// The depthwise kernels, written once for all instruction sets.
//
// Exact sums take two passes over a piece of a row. The first interleaves, for
// each column of inputs, the rows of the window in fours, so that the four of a
// channel lie side by side. The second adds up, for each output, the columns of
// its window. Interleaving is shared by all outputs that meet a column:
// neighbours in a row, and two rows of outputs, for which there are shifted
// weights. Sums that saturate are added up in pairs (depthwise_pairs_simd.h).
//
// DepthwiseStrip<V, P>(strip), at the end, is what a kernel calls.
//
// `V` is as in lane_simd.h, and `P` of lane_products.h; here, too, there is
// nothing but templates.
#ifndef PASSES_KERNELS_DEPTHWISE_DEPTHWISE_SIMD_H_
#define PASSES_KERNELS_DEPTHWISE_DEPTHWISE_SIMD_H_

#include <cstdint>

#include "passes/kernels/depthwise/depthwise_3x3_simd.h"
#include "passes/kernels/depthwise/depthwise_pairs_simd.h"
#include "passes/kernels/depthwise/lane_inline.h"
#include "passes/kernels/depthwise/lane_products.h"
#include "passes/kernels/depthwise/lane_simd.h"
#include "passes/kernels/depthwise/lane_strip.h"

namespace ns::kernels {

template <typename V, typename P>
class DepthwiseColumns {
 public:
  using Ints = typename V::Ints;
  using Operand = typename P::Operand;

  DepthwiseColumns(const LaneStrip& strip, int part)
      : strip_(strip),
        part_(part),
        quads_((strip.kernel_rows + 3) / 4),
        column_bytes_(quads_ * kStepBytes) {}

  // Interleaves the columns [first, last) of the input, which may be outside,
  // into scratch memory. With kFindLargest, returns the largest activation of
  // each channel, padding included; otherwise the result means nothing.
  template <LaneLayout kLayout, bool kFindLargest>
  Ints Interleave(int64_t first, int64_t last) const {
    const ColumnRange inside = ColumnsInside<V>(strip_, first, last);
    const Operand padding = P::Prepare(V::SetBytes(strip_.zero_point));
    Ints largest = inside.begin > first || inside.end < last
                       ? V::SetBytes(strip_.zero_point)
                       : V::Zero();
    for (int64_t quad = 0; quad < quads_; ++quad) {
      LaneRow rows[16];
      for (int i = 0; i < 16; ++i) {
        rows[i] = strip_.input[quad * 16 + i];
      }
      uint8_t* to = strip_.scratch + quad * kStepBytes;
      int64_t column = first;
      for (; column < inside.begin; ++column, to += column_bytes_) {
        StorePadding(to, padding);
      }
      for (; column < inside.end; ++column, to += column_bytes_) {
        const int64_t at = column * strip_.input_pixel;
        const Ints a = LoadLanes<V, kLayout>(strip_, rows, part_, at);
        const Ints b = LoadLanes<V, kLayout>(strip_, rows + 4, part_, at);
        const Ints c = LoadLanes<V, kLayout>(strip_, rows + 8, part_, at);
        const Ints d = LoadLanes<V, kLayout>(strip_, rows + 12, part_, at);
        if (kFindLargest) {
          largest = V::MaxBytes(V::MaxBytes(largest, V::MaxBytes(a, b)),
                                V::MaxBytes(c, d));
        }
        Ints chunks[4];
        InterleaveFour<V>(a, b, c, d, chunks);
        NS_LANE_UNROLL
        for (int chunk = 0; chunk < 4; ++chunk) {
          P::Store(to + chunk * P::kChunkBytes, P::Prepare(chunks[chunk]));
        }
      }
      for (; column < last; ++column, to += column_bytes_) {
        StorePadding(to, padding);
      }
    }
    return largest;
  }

  // Writes the outputs of the columns [begin, end). The columns of their
  // windows must have been interleaved.
  void Sum(int64_t begin, int64_t end) const {
    if (strip_.weight_zero_points != nullptr) {
      for (int row = 0; row < strip_.output_rows; ++row) {
        SumRows<1, 1, 0, true>(row, begin, begin, end);
      }
    } else if (strip_.kernel_width == 3 && quads_ == 1) {
      SumRows<3>(begin, end);
    } else {
      SumRows<0>(begin, end);
    }
  }

 private:
  static constexpr int64_t kStepBytes = 4 * P::kChunkBytes;

  static void StorePadding(uint8_t* to, Operand padding) {
    NS_LANE_UNROLL
    for (int chunk = 0; chunk < 4; ++chunk) {
      P::Store(to + chunk * P::kChunkBytes, padding);
    }
  }

  template <int kSteps>
  void SumRows(int64_t begin, int64_t end) const {
    if (strip_.output_rows == 2) {
      const int64_t left =
          SumRows<2, V::kRegisters / 16, kSteps, false>(0, begin, begin, end);
      SumRows<2, 1, kSteps, false>(0, begin, left, end);
    } else {
      const int64_t left =
          SumRows<1, V::kRegisters / 8, kSteps, false>(0, begin, begin, end);
      SumRows<1, 1, kSteps, false>(0, begin, left, end);
    }
  }

  // Outputs from `column` on, kColumns at a time, of kRows rows; `begin` is the
  // output of the first window in scratch memory. kSteps, if not 0, is the
  // kernel's width, and a column a step. Returns the first column that is left.
  template <int kRows, int kColumns, int kSteps, bool kHasZeroPoints>
  int64_t SumRows(int row, int64_t begin, int64_t column, int64_t end) const {
    const LaneStrip& strip = strip_;
    const LaneOutput<V> output(strip, part_);
    const auto* all_weights = P::Weights(strip, part_);
    const int64_t next = strip.stride * column_bytes_;
    const int64_t next_column = strip.dilation * column_bytes_;
    const int64_t width = kSteps != 0 ? kSteps : strip.kernel_width;
    const int64_t quads = kSteps != 0 ? 1 : quads_;
    const uint8_t* from = strip.scratch + (column - begin) * next;
    for (; column + kColumns <= end; column += kColumns) {
      Ints sums[kRows][kColumns][4];
      Ints row_sums[4];
      NS_LANE_UNROLL
      for (int chunk = 0; chunk < 4; ++chunk) {
        row_sums[chunk] = V::Zero();
        const Ints start = output.Start(chunk);
        NS_LANE_UNROLL
        for (int r = 0; r < kRows; ++r) {
          NS_LANE_UNROLL
          for (int i = 0; i < kColumns; ++i) {
            sums[r][i][chunk] = start;
          }
        }
      }
      for (int64_t x = 0; x < width; ++x) {
        for (int64_t quad = 0; quad < quads; ++quad) {
          const uint8_t* step = from + x * next_column + quad * kStepBytes;
          NS_LANE_UNROLL
          for (int chunk = 0; chunk < 4; ++chunk) {
            Operand activations[kColumns];
            NS_LANE_UNROLL
            for (int i = 0; i < kColumns; ++i) {
              activations[i] =
                  P::Load(step + i * next + chunk * P::kChunkBytes);
            }
            NS_LANE_UNROLL
            for (int r = 0; r < kRows; ++r) {
              const Operand weights = P::LoadWeights(
                  all_weights,
                  (((row + r) * width + x) * quads + quad) * 4 + chunk);
              NS_LANE_UNROLL
              for (int i = 0; i < kColumns; ++i) {
                sums[r][i][chunk] =
                    P::Add(sums[r][i][chunk], activations[i], weights);
              }
            }
            if (kHasZeroPoints) {
              row_sums[chunk] =
                  P::Add(row_sums[chunk], activations[0], Ones(row, quad));
            }
          }
        }
      }
      if (kHasZeroPoints) {
        NS_LANE_UNROLL
        for (int chunk = 0; chunk < 4; ++chunk) {
          sums[0][0][chunk] =
              output.Correct(chunk, sums[0][0][chunk], row_sums[chunk]);
        }
      }
      NS_LANE_UNROLL
      for (int r = 0; r < kRows; ++r) {
        NS_LANE_UNROLL
        for (int i = 0; i < kColumns; ++i) {
          output.Write(row + r, column + i, sums[r][i]);
        }
      }
      from += kColumns * next;
    }
    return column;
  }

  // Weights of 1 for those of four rows of the window that row `row` of outputs
  // meets, and of 0 for others.
  Operand Ones(int row, int64_t quad) const {
    int which = 0;
    for (int i = 0; i < 4; ++i) {
      const int64_t at = quad * 4 + i - row;
      which |= at >= 0 && at < strip_.kernel_rows ? 1 << i : 0;
    }
    return P::Ones(which);
  }

  const LaneStrip& strip_;
  const int part_;
  const int64_t quads_;
  const int64_t column_bytes_;
};

// Computes a strip whose layout is known. With kFindLargest, outputs with an
// activation above its LaneWeights::safe_activations come from the kernels of
// pairs instead.
template <typename V, typename P, LaneLayout kLayout, bool kFindLargest>
void DepthwiseStrip(const LaneStrip& strip) {
  // Neighbours share what is kept in registers.
  constexpr bool kHas3x3 = V::kHasDot && V::kRegisters >= 32;
  if constexpr (kHas3x3 && kLayout != LaneLayout::kPartial) {
    auto largest = V::Zero();
    if (RunDepthwise3x3<V, kLayout, kFindLargest>(strip, largest)) {
      if (kFindLargest &&
          V::AnyByteAbove(largest, V::Load(strip.weights.safe_activations))) {
        RunDepthwisePairs<V, kLayout>(strip);
      }
      return;
    }
  }
  const int64_t reach = (strip.kernel_width - 1) * strip.dilation + 1;
  for (int part = 0; part * V::kBytes < 64; ++part) {
    const DepthwiseColumns<V, P> columns(strip, part);
    const auto safe =
        V::Load(strip.weights.safe_activations + part * V::kBytes);
    for (int64_t begin = 0; begin < strip.output_width;
         begin += strip.outputs_at_once) {
      const int64_t left = strip.output_width - begin;
      const int64_t end =
          begin + (left < strip.outputs_at_once ? left : strip.outputs_at_once);
      const auto largest = columns.template Interleave<kLayout, kFindLargest>(
          begin * strip.stride - strip.padding,
          (end - 1) * strip.stride - strip.padding + reach);
      if (kFindLargest && V::AnyByteAbove(largest, safe)) {
        DepthwisePairs<V>(strip, part).template Run<kLayout>(begin, end);
      } else {
        columns.Sum(begin, end);
      }
    }
  }
}

template <typename V, typename P, LaneLayout kLayout>
void DepthwiseStrip(const LaneStrip& strip) {
  if (strip.saturates) {
    DepthwiseStrip<V, P, kLayout, true>(strip);
  } else {
    DepthwiseStrip<V, P, kLayout, false>(strip);
  }
}

// Computes the outputs of `strip`, whose pair sums saturate if
// LaneStrip::saturates.
template <typename V, typename P>
void DepthwiseStrip(const LaneStrip& strip) {
  if (strip.contiguous) {
    DepthwiseStrip<V, P, LaneLayout::kContiguous>(strip);
  } else if (strip.lane_channels == 16) {
    DepthwiseStrip<V, P, LaneLayout::kLanes>(strip);
  } else {
    DepthwiseStrip<V, P, LaneLayout::kPartial>(strip);
  }
}

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_DEPTHWISE_DEPTHWISE_SIMD_H_
