// Multiplies quantized tensors.
#ifndef PASSES_KERNELS_ELEMENTWISE_MULTIPLY_H_
#define PASSES_KERNELS_ELEMENTWISE_MULTIPLY_H_

#include <cstdint>

#include "passes/kernels/parallel.h"
#include "passes/kernels/qparams.h"

namespace ns::kernels {

// out[i] = the quantized value of relu(a[i] * b[i]), as LibTorch's
// quantized::mul and mul_relu compute it:
//
//   product    = (a - a.zero_point) * (b - b.zero_point), in s32
//   multiplier = a.scale * b.scale * (1 / out.scale), in float
//   q          = clamp(round((float)product * multiplier) + out.zero_point,
//                      0, 255)
//   q          = max(q, out.zero_point) if `relu`
//
// round is to nearest, ties to even, and gives INT_MIN for nan and what s32
// cannot hold, so that the quantized value is 0. `out` may be one of the
// operands.
void Multiply(QuantizedOperand a, QuantizedOperand b, int64_t count, bool relu,
              QParams out_qparams, uint8_t* out, Parallel parallel);

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_ELEMENTWISE_MULTIPLY_H_
