// Declares the inner loops of group normalization.
#ifndef PASSES_KERNELS_NORMALIZATION_GROUP_NORM_KERNELS_H_
#define PASSES_KERNELS_NORMALIZATION_GROUP_NORM_KERNELS_H_

#include <cstdint>

#include "passes/kernels/normalization/value_moments.h"

namespace ns::kernels {

// QuantizeValue(fma(quantized - mean, factor, bias), multiplier, zero_point),
// with what is before multiplier either of each quantized value or of all.
struct ChannelNormalization {
  const float* means;
  const float* factors;
  const float* biases;
  float multiplier;
  int32_t zero_point;
};

struct GroupNormKernels {
  ValueSums (*sum)(const uint8_t* quantized, int64_t n);
  // Normalizes `n` quantized values, all by means[0] and so on.
  void (*normalize_alike)(const uint8_t* quantized, int64_t n,
                          const ChannelNormalization& by, uint8_t* out);
  // Normalizes `n` quantized values, number i by means[i] and so on.
  void (*normalize_each)(const uint8_t* quantized, int64_t n,
                         const ChannelNormalization& by, uint8_t* out);
  // Adds up lines of `n` quantized values: to sums[i] what is at i of each
  // line, and to squares[i] its square. None may reach 2^32.
  void (*add_lines)(const uint8_t* quantized, int64_t lines, int64_t n,
                    uint32_t* sums, uint32_t* squares);
};

extern const GroupNormKernels kAvx2GroupNorm;
extern const GroupNormKernels kAvx512GroupNorm;

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_NORMALIZATION_GROUP_NORM_KERNELS_H_
