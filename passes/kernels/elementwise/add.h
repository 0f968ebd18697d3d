// Adds quantized tensors.
#ifndef PASSES_KERNELS_ELEMENTWISE_ADD_H_
#define PASSES_KERNELS_ELEMENTWISE_ADD_H_

#include <cstdint>

#include "passes/kernels/elementwise/qparams.h"
#include "passes/kernels/parallel.h"

namespace ns::kernels {

// out[i] = the quantized value of relu(a[i] + b[i]), as the vector part of
// LibTorch's quantized::add and add_relu computes it, all in float:
//
//   value(q) = fma(scale, q, scale * -zero_point)
//   sum      = value(a) + value(b)
//   sum      = max(sum, 0) if `relu`; a nan is kept
//   q        = as Quantize
//
// (LibTorch ends tensors, or each thread's part of them, with up to 63 elements
// with AVX2, or 127 with AVX-512, of which value(q) is scale *
// (q - zero_point).) `out` may be one of the operands.
void Add(QuantizedOperand a, QuantizedOperand b, int64_t count, bool relu,
         QParams out_qparams, uint8_t* out, Parallel parallel);

// Adds floats and quantized values: a sum with a convolution's result before
// that is quantized.
void AddQuantize(const float* a, QuantizedOperand b, int64_t count, bool relu,
                 QParams out_qparams, uint8_t* out, Parallel parallel);

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_ELEMENTWISE_ADD_H_
