// Tells when the results of an elementwise kernel are far from overflowing, so
// that a faster form of it gives the same.
#ifndef PASSES_KERNELS_ELEMENTWISE_CANNOT_OVERFLOW_H_
#define PASSES_KERNELS_ELEMENTWISE_CANNOT_OVERFLOW_H_

#include <cstdint>

#include "passes/kernels/qparams.h"

namespace ns::kernels {

// Whether no result wraps, saturates s32 or is a nan. `greatest_steps` is the
// greatest magnitude that a result can have, divided by the output's scale; nan
// gives false. ElementwiseKernels takes the answer as `cannot_overflow`.
inline bool CannotOverflow(float greatest_steps, QParams out_qparams) {
  return out_qparams.scale > 0 && greatest_steps < 1073741824.0f;
}

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_ELEMENTWISE_CANNOT_OVERFLOW_H_
