// Normalizes rows of quantized values: layer normalization.
#ifndef PASSES_KERNELS_NORMALIZATION_LAYER_NORM_H_
#define PASSES_KERNELS_NORMALIZATION_LAYER_NORM_H_

#include <cstdint>

#include "passes/kernels/normalization/normalization_spec.h"
#include "passes/kernels/parallel.h"

namespace ns::kernels {

// Normalizes each of the `rows` rows of `n` quantized values by its own mean
// and variance; `out` is as `input`, and may be the same.
//
//   mean  = (float)(sum of q) / n
//   var   = max(fma(-mean, mean, (float)(sum of squares) / n), 0)
//   rstd  = (float)(input_scale / sqrt((double)(var * input_scale *
//   input_scale)
//                                      + eps))
//   x     = (q - input_zero_point) - (mean - input_zero_point)
//   y     = fma(x * rstd, weight, bias)
//   q     = QuantizeValue(y, 1 / output_scale, output_zero_point)
//
// In floats, rounded one by one but for fma; sums are exact. So does
// quantized_normalize_kernel of LibTorch 1.13, as gcc compiles it; only its
// last n % 32 quantized values (n % 64 with AVX512) are not clipped as
// QuantizeValue says.
void LayerNorm(const uint8_t* input, int64_t rows, int64_t n,
               const NormalizationSpec& spec, uint8_t* out, Parallel parallel);

void LayerNormReference(const uint8_t* input, int64_t rows, int64_t n,
                        const NormalizationSpec& spec, uint8_t* out);

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_NORMALIZATION_LAYER_NORM_H_
