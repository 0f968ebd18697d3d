// The argument of the kernels of pools: a row of outputs and the inputs that
// they see.
#ifndef PASSES_KERNELS_POOLING_POOL_ROW_H_
#define PASSES_KERNELS_POOLING_POOL_ROW_H_

#include <cstdint>

namespace ns::kernels {

// The pixels of a row that an output sees: `count`, the first `offset` elements
// from the row's start.
struct PoolSpan {
  int64_t offset;
  int64_t count;
};

// Outputs that follow each other in memory. Output i sees, in each of `rows`,
// the pixels of spans[i], `step` elements apart, of `channels` elements each.
template <typename Element>
struct PoolRow {
  const Element* const* rows;
  int64_t row_count;
  const PoolSpan* spans;
  int64_t outputs;
  int64_t step;
  int64_t channels;
};

// Calls `see(pixel)` for each pixel of `span`, of all rows, from `channel` on.
// With kCount, span.count is known to be that.
template <int kCount, typename Element, typename See>
[[gnu::always_inline]] static inline void ForEachPixelOf(
    const PoolRow<Element>& row, const PoolSpan& span, int64_t channel,
    const See& see) {
  const int64_t step = row.step;
  for (int64_t r = 0; r < row.row_count; ++r) {
    const Element* pixel = row.rows[r] + span.offset + channel;
    if (kCount > 0) {
#pragma clang loop unroll(full)
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

// Does the same for output `i`. The usual windows take no inner loop. It is
// static, as sources of all instruction sets compile their own.
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
