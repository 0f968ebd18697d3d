// Declares the inner loops of group normalization.
#ifndef PASSES_KERNELS_NORMALIZATION_GROUP_NORM_KERNELS_H_
#define PASSES_KERNELS_NORMALIZATION_GROUP_NORM_KERNELS_H_

#include <cstdint>

#include "passes/kernels/normalization/value_moments.h"

namespace ns::kernels {

// How quantized values q become others (QuantizeValue is that of
// passes/kernels/quantize_value.h):
//
//   out = QuantizeValue(fma(q - mean, factor, bias), multiplier, zero_point)
//
// `means`, `factors` and `biases` have one element for normalize_alike, and n
// for normalize_each.
struct ChannelNormalization {
  const float* means;  // ValueMoments::mean: in steps, the zero point included
  const float* factors;  // the norm's weight * ValueMoments::rstd
  const float* biases;   // the norm's bias, in real units
  float multiplier;      // 1 / the scale of the output
  int32_t zero_point;    // that of the output, 0 to 255
};

// All run in the calling thread, on any n and any alignment; `out` may be
// `quantized`.
struct GroupNormKernels {
  // Returns the sum and the sum of squares of `n` quantized values.
  ValueSums (*sum)(const uint8_t* quantized, int64_t n);
  // Normalizes `n` quantized values, all by means[0] and so on.
  void (*normalize_alike)(const uint8_t* quantized, int64_t n,
                          const ChannelNormalization& by, uint8_t* out);
  // Normalizes `n` quantized values, number i by means[i] and so on.
  void (*normalize_each)(const uint8_t* quantized, int64_t n,
                         const ChannelNormalization& by, uint8_t* out);
  // Sums over the columns of [lines][n]: adds to sums[i] what is at i of each
  // line, and to squares[i] its square. None may reach 2^32, which takes more
  // than 66,051 lines where they start from zero.
  void (*add_lines)(const uint8_t* quantized, int64_t lines, int64_t n,
                    uint32_t* sums, uint32_t* squares);
};

// For processors with AVX2 and FMA, and with AVX512F, BW, DQ and VL; on others
// they crash (Isa in passes/kernels/isa.h tells what there is).
extern const GroupNormKernels kAvx2GroupNorm;
extern const GroupNormKernels kAvx512GroupNorm;

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_NORMALIZATION_GROUP_NORM_KERNELS_H_
