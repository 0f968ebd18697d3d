// Adds quantized tensors.
#ifndef PASSES_KERNELS_ELEMENTWISE_ADD_H_
#define PASSES_KERNELS_ELEMENTWISE_ADD_H_

#include <cstdint>

#include "passes/kernels/parallel.h"
#include "passes/kernels/qparams.h"

namespace ns::kernels {

// out[i] = the quantized value of relu(a[i] + b[i]), as the vector part of
// LibTorch's quantized::add and add_relu computes it, all in float:
//
//   value(q) = fma(scale, q, scale * -zero_point)
//   sum      = value(a) + value(b)
//   sum      = max(sum, 0) if `relu`; a nan is kept
//   q        = `sum` quantized by out_qparams, as Quantize (quantize.h) does
//
// For the last elements of a tensor, or of each thread's part of it, up to 63
// with AVX2 or 127 with AVX-512, LibTorch takes scale * (q - zero_point) as
// value(q). This function does not, and may differ there. `out` may be one of
// the operands.
void Add(QuantizedOperand a, QuantizedOperand b, int64_t count, bool relu,
         QParams out_qparams, uint8_t* out, Parallel parallel);

// Does the same with a[i] itself in the place of value(a): it adds to what a
// convolution gives before that is quantized. `out` may be the operand `b`.
void AddQuantize(const float* a, QuantizedOperand b, int64_t count, bool relu,
                 QParams out_qparams, uint8_t* out, Parallel parallel);

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_ELEMENTWISE_ADD_H_
