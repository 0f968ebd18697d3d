// Normalizes rows of quantized values: layer normalization.
#ifndef PASSES_KERNELS_NORMALIZATION_LAYER_NORM_H_
#define PASSES_KERNELS_NORMALIZATION_LAYER_NORM_H_

#include <cstdint>

#include "passes/kernels/normalization/normalization_spec.h"
#include "passes/kernels/parallel.h"

namespace ns::kernels {

// Normalizes each of the `rows` rows of `n` quantized values by its own mean
// and variance. `out` has the layout of `input`, and may be the same memory.
//
//   mean  = (float)(sum of q) / n
//   var   = max(fma(-mean, mean, (float)(sum of squares) / n), 0)
//   std   = sqrt((double)(var * input_scale * input_scale) + eps)
//   rstd  = (float)(input_scale / std)
//   x     = (q - input_zero_point) - (mean - input_zero_point)
//   y     = fma(x * rstd, weight, bias)
//   q     = QuantizeValue(y, 1 / output_scale, output_zero_point)
//
// `std` is a double, all else is float32, where each operation rounds (fma
// counts as one). The two sums are exact. quantized_normalize_kernel of
// LibTorch 1.13, as gcc compiles it, computes the same, but does not clip the
// last n % 32 quantized values (n % 64 with AVX512) as QuantizeValue does.
void LayerNorm(const uint8_t* input, int64_t rows, int64_t n,
               const NormalizationSpec& spec, uint8_t* out, Parallel parallel);

// The same in plain code, in one thread.
void LayerNormReference(const uint8_t* input, int64_t rows, int64_t n,
                        const NormalizationSpec& spec, uint8_t* out);

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_NORMALIZATION_LAYER_NORM_H_
