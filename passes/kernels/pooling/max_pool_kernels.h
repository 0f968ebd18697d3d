// The innermost of max pools.
#ifndef PASSES_KERNELS_POOLING_MAX_POOL_KERNELS_H_
#define PASSES_KERNELS_POOLING_MAX_POOL_KERNELS_H_

#include <cstdint>

#include "passes/kernels/pooling/pool_row.h"

namespace ns::kernels {

// The greatest code that each output sees, in each channel; 0 where it sees
// none.
void MaxPoolRowAvx2(const PoolRow<uint8_t>& row, uint8_t* out);
void MaxPoolRowAvx512(const PoolRow<uint8_t>& row, uint8_t* out);

// out[i] is the greatest of rows[...][i], of `count` rows, at least one.
void MaxOfRowsAvx2(const uint8_t* const* rows, int64_t count, int64_t bytes,
                   uint8_t* out);
void MaxOfRowsAvx512(const uint8_t* const* rows, int64_t count, int64_t bytes,
                     uint8_t* out);

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_POOLING_MAX_POOL_KERNELS_H_
