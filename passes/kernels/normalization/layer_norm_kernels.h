// Declares the inner loops of layer normalization, which work on one row.
#ifndef PASSES_KERNELS_NORMALIZATION_LAYER_NORM_KERNELS_H_
#define PASSES_KERNELS_NORMALIZATION_LAYER_NORM_KERNELS_H_

#include <cstdint>

#include "passes/kernels/normalization/value_moments.h"

namespace ns::kernels {

// out[i] = QuantizeValue(fma((quantized[i] - mean) * rstd, weight[i], bias[i]),
// multiplier, zero_point). `weight` and `bias` may be null: ones, zeros.
struct Normalization {
  float mean;
  float rstd;
  const float* weight;
  const float* bias;
  float multiplier;
  int32_t zero_point;
};

struct LayerNormKernels {
  ValueSums (*sum)(const uint8_t* quantized, int64_t n);
  void (*normalize)(const uint8_t* quantized, int64_t n,
                    const Normalization& normalization, uint8_t* out);
};

extern const LayerNormKernels kAvx2LayerNorm;
extern const LayerNormKernels kAvx512LayerNorm;

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_NORMALIZATION_LAYER_NORM_KERNELS_H_
