// Softmax of rows of quantized values.
#ifndef PASSES_KERNELS_NORMALIZATION_SOFTMAX_H_
#define PASSES_KERNELS_NORMALIZATION_SOFTMAX_H_

#include <cstdint>

#include "passes/kernels/parallel.h"
#include "passes/kernels/qparams.h"

namespace ns::kernels {

// Computes the softmax of each of the `rows` rows of `n` quantized values.
// `out` has the layout of `input`, and may be the same memory. The zero point
// of the input makes no difference.
//
//   d    = (greatest q of the row) - q, 0 to 255
//   e    = high[d / 16] * low[d % 16]
//   high[i] = (float)exp(-16 * i * input_scale)
//   low[i]  = (float)exp(-i * input_scale)
//   sum  = the sum of e: the i-th one is added to partial sum i % 32; then 16
//          sums are made of 32, 8 of 16 and so on, each of s[p] and
//          s[p + half of them]
//   q    = QuantizeValue(e, 1 / (sum * output.scale), output.zero_point)
//
// exp is a double; all else is float32, where each operation rounds. Elements
// of `high` and `low` below 2^-62 are 0, so that no product is a denormal
// number. quantized::softmax of LibTorch 1.13 computes the exponential of each
// value in float, and so may be a step off.
void Softmax(const uint8_t* input, int64_t rows, int64_t n, float input_scale,
             QParams output, uint8_t* out, Parallel parallel);

// The same in plain code, in one thread.
void SoftmaxReference(const uint8_t* input, int64_t rows, int64_t n,
                      float input_scale, QParams output, uint8_t* out);

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_NORMALIZATION_SOFTMAX_H_
