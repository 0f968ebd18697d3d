// Declares the inner loops of max pools.
#ifndef PASSES_KERNELS_POOLING_MAX_POOL_KERNELS_H_
#define PASSES_KERNELS_POOLING_MAX_POOL_KERNELS_H_

#include <cstdint>

#include "passes/kernels/pooling/pool_row.h"

namespace ns::kernels {

// The inner loops of max pools in one instruction set.
struct MaxPoolKernels {
  // Writes the greatest quantized value that each output sees, in each channel
  // (one at least); 0 where it sees none.
  void (*pool_row)(const PoolRow<uint8_t>& row, uint8_t* out);
  // out[i] is the greatest of rows[...][i], of `count` rows, at least one.
  void (*max_of_rows)(const uint8_t* const* rows, int64_t count, int64_t bytes,
                      uint8_t* out);
};

extern const MaxPoolKernels kAvx2MaxPool;
extern const MaxPoolKernels kAvx512MaxPool;

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_POOLING_MAX_POOL_KERNELS_H_
