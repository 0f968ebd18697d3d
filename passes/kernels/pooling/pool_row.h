// The argument of the kernels of max and average pools: a row of outputs, and
// which inputs are in the window of each.
#ifndef PASSES_KERNELS_POOLING_POOL_ROW_H_
#define PASSES_KERNELS_POOLING_POOL_ROW_H_

#include <cstdint>

#include "passes/kernels/unroll.h"

namespace ns::kernels {

// Which pixels of each row are in the window of an output: `count` of them,
// PoolRow::step apart. The first begins `offset` elements (not pixels) behind
// the start of the row.
struct PoolSpan {
  int64_t offset;
  int64_t count;
};

// Outputs that follow each other in memory: there are `outputs`, and so many
// `spans`. The window of output i has, in each of the `row_count` rows, the
// pixels of spans[i], from one to the next `step` elements. A pixel has
// `channels` elements side by side.
template <typename Element>
struct PoolRow {
  const Element* const* rows;
  int64_t row_count;
  const PoolSpan* spans;
  int64_t outputs;
  int64_t step;
  int64_t channels;
};

// Calls `see(pixel)` for each pixel of `span` in all rows; `pixel` points to
// its element number `channel`. kCount is span.count where the caller knows it
// at compile time, and 0 where it does not.
template <int kCount, typename Element, typename See>
[[gnu::always_inline]] static inline void ForEachPixelOf(
    const PoolRow<Element>& row, const PoolSpan& span, int64_t channel,
    const See& see) {
  const int64_t step = row.step;
  for (int64_t r = 0; r < row.row_count; ++r) {
    const Element* pixel = row.rows[r] + span.offset + channel;
    if (kCount > 0) {
      NS_UNROLL
      for (int k = 0; k < kCount; ++k) {
        see(pixel + k * step);
      }
    } else {
      for (int64_t k = 0; k < span.count; ++k, pixel += step) {
        see(pixel);
      }
    }
  }
}

// Does the same for the window of output `i`; the usual widths, 2 and 3, are
// unrolled. It is static since the source of each instruction set must compile
// a copy of its own.
template <typename Element, typename See>
[[gnu::always_inline]] static inline void ForEachPixel(
    const PoolRow<Element>& row, int64_t i, int64_t channel, const See& see) {
  const PoolSpan span = row.spans[i];
  if (span.count == 3) {
    ForEachPixelOf<3>(row, span, channel, see);
  } else if (span.count == 2) {
    ForEachPixelOf<2>(row, span, channel, see);
  } else {
    ForEachPixelOf<0>(row, span, channel, see);
  }
}

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_POOLING_POOL_ROW_H_
