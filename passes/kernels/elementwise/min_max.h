// Finds the range of floats.
#ifndef PASSES_KERNELS_ELEMENTWISE_MIN_MAX_H_
#define PASSES_KERNELS_ELEMENTWISE_MIN_MAX_H_

#include <cstdint>

#include "passes/kernels/parallel.h"

namespace ns::kernels {

struct FloatRange {
  float min = 0;
  float max = 0;
};

// Returns the least and the greatest of `count` values. Infinities count. Nans
// are left out (with fbgemm's FindMinMax, that depends on where they are). A
// result of zero is always +0. Returns {0, 0} for no values, and where all are
// nan. `parallel` shares the work among threads.
FloatRange MinMax(const float* values, int64_t count, Parallel parallel);

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_ELEMENTWISE_MIN_MAX_H_
