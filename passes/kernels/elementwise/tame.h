// When results are far from overflowing.
#ifndef PASSES_KERNELS_ELEMENTWISE_TAME_H_
#define PASSES_KERNELS_ELEMENTWISE_TAME_H_

#include <cstdint>

#include "passes/kernels/elementwise/qparams.h"

namespace ns::kernels {

// Whether no result wraps, saturates s32 or is a nan, given the greatest
// magnitude of all in steps of the output: what ElementwiseKernels calls tame.
// False of nan.
inline bool IsTame(float greatest_steps, QParams out_qparams) {
  return out_qparams.scale > 0 && greatest_steps < 1073741824.0f;
}

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_ELEMENTWISE_TAME_H_
