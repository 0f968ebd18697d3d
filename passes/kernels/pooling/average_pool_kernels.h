// Declares the inner loops of average pools.
#ifndef PASSES_KERNELS_POOLING_AVERAGE_POOL_KERNELS_H_
#define PASSES_KERNELS_POOLING_AVERAGE_POOL_KERNELS_H_

#include <cstdint>

#include "passes/kernels/pooling/pool_row.h"

namespace ns::kernels {

// So many quantized values can be added in 16 bits.
inline constexpr int64_t kNarrowSums = 257;

// How an output is rounded, from the sum of the quantized values in its window.
// It is as QuantizeValue (passes/kernels/quantize_value.h) does it, with an
// addend; the product is rounded before that is added:
//
//   y = min((float)(sum + start) * multiplier + addend, 2147483520)
//   q = saturate_u8(round(y) + zero_point)
//
// `start` is minus the number of values times the input's zero point, or 0
// where that is left out, and `multiplier` is the input's scale over the
// output's scale times the divisor.
struct AverageScale {
  int32_t start;
  float multiplier;
};
struct AverageRounding {
  float addend;
  int32_t zero_point;
};

// The inner loops of average pools in one instruction set.
struct AveragePoolKernels {
  // `scales` has one element for each output.
  void (*pool_row)(const PoolRow<uint8_t>& row, const AverageScale* scales,
                   const AverageRounding& rounding, uint8_t* out);
  // out[i] is the sum of rows[...][i], of `count` rows, at most kNarrowSums.
  void (*sum_of_rows)(const uint8_t* const* rows, int64_t count, int64_t bytes,
                      uint16_t* out);
  // Does what pool_row does, of a row of such sums. All that are in the window
  // of one output must add up to 65535 at most.
  void (*pool_sums)(const PoolRow<uint16_t>& row, const AverageScale* scales,
                    const AverageRounding& rounding, uint8_t* out);
};

extern const AveragePoolKernels kAvx2AveragePool;
extern const AveragePoolKernels kAvx512AveragePool;

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_POOLING_AVERAGE_POOL_KERNELS_H_
