// Sums of quantized tensors.
#ifndef PASSES_KERNELS_ELEMENTWISE_ADD_H_
#define PASSES_KERNELS_ELEMENTWISE_ADD_H_

#include <cstdint>

#include "passes/kernels/elementwise/qparams.h"
#include "passes/kernels/parallel.h"

namespace ns::kernels {

// out[i] = the code of relu(a[i] + b[i]), as the vector part of LibTorch's
// quantized::add and add_relu computes it, all in float:
//
//   value(q) = fma(scale, q, scale * -zero_point)
//   sum      = value(a) + value(b)
//   sum      = max(sum, 0) if `relu`; a nan is kept
//   code     = as Quantize
//
// (LibTorch ends tensors, or what is left of them for each thread, with up to
// 31 or 63 elements of which value(q) is scale * (q - zero_point).) `out` may
// be one of the operands.
void Add(Codes a, Codes b, int64_t count, bool relu, QParams out_qparams,
         uint8_t* out, Parallel parallel);

// The same of floats and codes: a sum with a convolution's result before that
// is quantized.
void AddQuantize(const float* a, Codes b, int64_t count, bool relu,
                 QParams out_qparams, uint8_t* out, Parallel parallel);

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_ELEMENTWISE_ADD_H_
