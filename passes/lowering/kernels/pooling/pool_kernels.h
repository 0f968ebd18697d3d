// The innermost of pools: a row of outputs.
#ifndef PASSES_LOWERING_KERNELS_POOLING_POOL_KERNELS_H_
#define PASSES_LOWERING_KERNELS_POOLING_POOL_KERNELS_H_

#include <stdint.h>

namespace ns::kernels {

// The pixels of a row that an output sees: `count`, the first `offset` bytes
// from the row's start.
struct PoolSpan {
  int64_t offset;
  int64_t count;
};

// Outputs that follow each other in memory. Output i sees, in each of `rows`,
// the pixels of spans[i], `step` bytes apart, of `channels` bytes each.
struct PoolRow {
  const uint8_t* const* rows;
  int64_t row_count;
  const PoolSpan* spans;
  int64_t outputs;
  int64_t step;
  int64_t channels;
};

// Of an output: code = saturate_u8(round(min(
//     (float)(sum of codes + start) * multiplier + addend, 2147483520))
//     + zero_point), as QuantizeCode.
struct AverageScale {
  int32_t start;
  float multiplier;
};
struct AverageRounding {
  float addend;
  int32_t zero_point;
};

void MaxPoolRowAvx2(const PoolRow& row, uint8_t* out);
void MaxPoolRowAvx512(const PoolRow& row, uint8_t* out);

// `scales` is for each output.
void AveragePoolRowAvx2(const PoolRow& row, const AverageScale* scales,
                        const AverageRounding& rounding, uint8_t* out);
void AveragePoolRowAvx512(const PoolRow& row, const AverageScale* scales,
                          const AverageRounding& rounding, uint8_t* out);

}  // namespace ns::kernels

#endif  // PASSES_LOWERING_KERNELS_POOLING_POOL_KERNELS_H_
