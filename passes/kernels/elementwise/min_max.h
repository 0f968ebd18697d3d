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

// The least and the greatest of `count` values. Nans do not count (in fbgemm's
// search, that depends on where they are); nor does the sign of a zero, which
// comes out as +0. Without a value that counts, {0, 0}.
FloatRange MinMax(const float* values, int64_t count, Parallel parallel);

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_ELEMENTWISE_MIN_MAX_H_
