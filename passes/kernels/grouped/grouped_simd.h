// The kernels of grouped convolutions, written once for all instruction sets.
//
// A chunk is four outputs of each lane (lane_blocks.h), which all need the same
// inputs. In a step, each output takes four of them. The first pass over a
// piece of a row goes through its pixels and makes a vector for each chunk and
// step: the four inputs, repeated for each of the four outputs. Groups of two
// channels take the four from two rows. The second pass adds up, for each
// output, the pixels of its window. All windows that contain a pixel share its
// vectors.
//
// `V` is as in lane_simd.h, and `P` of lane_products.h; here, too, there is
// nothing but templates.
#ifndef PASSES_KERNELS_GROUPED_GROUPED_SIMD_H_
#define PASSES_KERNELS_GROUPED_GROUPED_SIMD_H_

#include <cstdint>

#include "passes/kernels/depthwise/lane_inline.h"
#include "passes/kernels/depthwise/lane_products.h"
#include "passes/kernels/depthwise/lane_simd.h"
#include "passes/kernels/depthwise/lane_strip.h"

namespace ns::kernels {

template <typename V, typename P, int kChannels>
class GroupedColumns {
 public:
  using Ints = typename V::Ints;
  using Operand = typename P::Operand;

  GroupedColumns(const LaneStrip& strip, int part)
      : strip_(strip),
        part_(part),
        window_steps_(
            (strip.kernel_rows + strip.output_rows - 1 + kStepRows - 1) /
            kStepRows),
        row_steps_((strip.kernel_rows + kStepRows - 1) / kStepRows),
        column_bytes_(window_steps_ * kStepBytes) {}

  // Prepares the columns [first, last) of the input, which may be outside, in
  // scratch memory.
  template <LaneLayout kLayout>
  void Prepare(int64_t first, int64_t last) const {
    const ColumnRange inside = ColumnsInside<V>(strip_, first, last);
    const Operand padding = P::Prepare(V::SetBytes(strip_.zero_point));
    for (int64_t step = 0; step < window_steps_; ++step) {
      const LaneRow* rows = strip_.input + step * kStepRows * 4;
      uint8_t* to = strip_.scratch + step * kStepBytes;
      int64_t column = first;
      for (; column < inside.begin; ++column, to += column_bytes_) {
        StoreStep(to, padding, padding, padding, padding);
      }
      for (; column < inside.end; ++column, to += column_bytes_) {
        const int64_t at = column * strip_.input_pixel;
        const Ints a = LoadLanes<V, kLayout>(strip_, rows, part_, at);
        if (kChannels == 2) {
          const Ints b = LoadLanes<V, kLayout>(strip_, rows + 4, part_, at);
          const Ints low = V::UnpackLowShorts(a, b);
          const Ints high = V::UnpackHighShorts(a, b);
          StoreStep(to, P::Prepare(V::template ShuffleInts<0x50>(low)),
                    P::Prepare(V::template ShuffleInts<0xFA>(low)),
                    P::Prepare(V::template ShuffleInts<0x50>(high)),
                    P::Prepare(V::template ShuffleInts<0xFA>(high)));
        } else {
          StoreStep(to, P::Prepare(V::template ShuffleInts<0x00>(a)),
                    P::Prepare(V::template ShuffleInts<0x55>(a)),
                    P::Prepare(V::template ShuffleInts<0xAA>(a)),
                    P::Prepare(V::template ShuffleInts<0xFF>(a)));
        }
      }
      for (; column < last; ++column, to += column_bytes_) {
        StoreStep(to, padding, padding, padding, padding);
      }
    }
  }

  // The outputs of the columns [begin, end), from the columns of their windows
  // that are prepared.
  void Sum(int64_t begin, int64_t end) const {
    if (strip_.weight_zero_points != nullptr) {
      for (int row = 0; row < strip_.output_rows; ++row) {
        SumRows<1, 1, true>(row, begin, begin, end);
      }
    } else if (strip_.output_rows == 2) {
      const int64_t left =
          SumRows<2, V::kRegisters / 16, false>(0, begin, begin, end);
      SumRows<2, 1, false>(0, begin, left, end);
    } else {
      const int64_t left =
          SumRows<1, V::kRegisters / 8, false>(0, begin, begin, end);
      SumRows<1, 1, false>(0, begin, left, end);
    }
  }

 private:
  static constexpr int kStepRows = kChannels == 2 ? 2 : 1;
  // Steps of four channels each.
  static constexpr int kChannelSteps = kChannels <= 4 ? 1 : kChannels / 4;
  static constexpr int64_t kStepBytes = 4 * P::kChunkBytes;

  NS_LANE_INLINE static void StoreStep(uint8_t* to, Operand a, Operand b,
                                       Operand c, Operand d) {
    P::Store(to, a);
    P::Store(to + P::kChunkBytes, b);
    P::Store(to + 2 * P::kChunkBytes, c);
    P::Store(to + 3 * P::kChunkBytes, d);
  }

  // Which vector of a step has the inputs of `chunk` in channel step `i`.
  static constexpr int VectorOf(int chunk, int i) {
    return kChannels <= 4 ? chunk : kChannels == 8 ? chunk / 2 * 2 + i : i;
  }

  // Outputs from `column` on, kColumns at a time, of kRows rows; `begin` is the
  // output of the first window in scratch memory. Returns the first column that
  // is left.
  template <int kRows, int kColumns, bool kHasZeroPoints>
  int64_t SumRows(int row, int64_t begin, int64_t column, int64_t end) const {
    const LaneStrip& strip = strip_;
    const LaneOutput<V> output(strip, part_);
    const auto* all_weights = P::Weights(strip, part_);
    const int64_t next = strip.stride * column_bytes_;
    const int64_t next_column = strip.dilation * column_bytes_;
    const int64_t width = strip.kernel_width;
    const int64_t row_steps = row_steps_;
    // The next row of outputs meets what is a row below, or, of two channels,
    // the same with other weights.
    const int64_t next_row = kStepRows == 1 ? kStepBytes : 0;
    const int64_t row_weights =
        kStepRows == 1 ? 0 : width * row_steps * kChannelSteps * 4;
    const uint8_t* from =
        strip.scratch + (column - begin) * next + row * next_row;
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
      int64_t weight = row * row_weights;
      for (int64_t x = 0; x < width; ++x) {
        const uint8_t* at = from + x * next_column;
        for (int64_t y = 0; y < row_steps; ++y, at += kStepBytes) {
          NS_LANE_UNROLL
          for (int c = 0; c < kChannelSteps; ++c, weight += 4) {
            NS_LANE_UNROLL
            for (int chunk = 0; chunk < 4; ++chunk) {
              const uint8_t* vector = at + VectorOf(chunk, c) * P::kChunkBytes;
              NS_LANE_UNROLL
              for (int r = 0; r < kRows; ++r) {
                const Operand weights = P::LoadWeights(
                    all_weights, weight + r * row_weights + chunk);
                NS_LANE_UNROLL
                for (int i = 0; i < kColumns; ++i) {
                  sums[r][i][chunk] = P::Add(
                      sums[r][i][chunk],
                      P::Load(vector + r * next_row + i * next), weights);
                }
              }
              if (kHasZeroPoints) {
                row_sums[chunk] =
                    P::Add(row_sums[chunk], P::Load(vector), Ones(row, y));
              }
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

  // Weights of 1 for the inputs of a step that row `row` of outputs meets, and
  // of 0 for others.
  Operand Ones(int row, int64_t step) const {
    if (kStepRows == 1) {
      return P::Ones(15);
    }
    const int64_t first = step * 2 - row;
    const bool meets_first = first >= 0 && first < strip_.kernel_rows;
    const bool meets_second = first + 1 < strip_.kernel_rows;
    return P::Ones((meets_first ? 3 : 0) | (meets_second ? 12 : 0));
  }

  const LaneStrip& strip_;
  const int part_;
  const int64_t window_steps_;
  const int64_t row_steps_;
  const int64_t column_bytes_;
};

// Computes all outputs of a strip whose layout is known.
template <typename V, typename P, int kChannels, LaneLayout kLayout>
void GroupedStrip(const LaneStrip& strip) {
  const int64_t reach = (strip.kernel_width - 1) * strip.dilation + 1;
  for (int part = 0; part * V::kBytes < 64; ++part) {
    const GroupedColumns<V, P, kChannels> columns(strip, part);
    for (int64_t begin = 0; begin < strip.output_width;
         begin += strip.outputs_at_once) {
      const int64_t left = strip.output_width - begin;
      const int64_t end =
          begin + (left < strip.outputs_at_once ? left : strip.outputs_at_once);
      columns.template Prepare<kLayout>(
          begin * strip.stride - strip.padding,
          (end - 1) * strip.stride - strip.padding + reach);
      columns.Sum(begin, end);
    }
  }
}

template <typename V, typename P, int kChannels>
void GroupedStrip(const LaneStrip& strip) {
  if (strip.contiguous) {
    GroupedStrip<V, P, kChannels, LaneLayout::kContiguous>(strip);
  } else if (strip.lane_channels == 16) {
    GroupedStrip<V, P, kChannels, LaneLayout::kLanes>(strip);
  } else {
    GroupedStrip<V, P, kChannels, LaneLayout::kPartial>(strip);
  }
}

template <typename V, typename P>
void GroupedStrip(const LaneStrip& strip) {
  switch (strip.group_channels) {
    case 2:
      return GroupedStrip<V, P, 2>(strip);
    case 4:
      return GroupedStrip<V, P, 4>(strip);
    case 8:
      return GroupedStrip<V, P, 8>(strip);
    default:
      return GroupedStrip<V, P, 16>(strip);
  }
}

// Computes all outputs of `strip`: with PairProducts where it saturates, and
// with `Exact`, products of lane_products.h that do not, elsewhere.
template <typename V, typename Exact>
void GroupedStripOf(const LaneStrip& strip) {
  if (strip.saturates) {
    GroupedStrip<V, PairProducts<V>>(strip);
  } else {
    GroupedStrip<V, Exact>(strip);
  }
}

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_GROUPED_GROUPED_SIMD_H_
