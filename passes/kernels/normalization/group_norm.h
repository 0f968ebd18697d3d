// Normalizes quantized tensors by groups of channels: group and instance
// normalization.
#ifndef PASSES_KERNELS_NORMALIZATION_GROUP_NORM_H_
#define PASSES_KERNELS_NORMALIZATION_GROUP_NORM_H_

#include <cstdint>

#include "passes/kernels/normalization/normalization_spec.h"
#include "passes/kernels/parallel.h"

namespace ns::kernels {

// The shape of dense quantized values, [images][channels][positions] or
// [images][positions][channels].
struct GroupNormShape {
  int64_t images = 1;
  int64_t channels = 1;
  // 1 or more, and divides the channels. Instance normalization has as many
  // groups as channels.
  int64_t groups = 1;
  int64_t positions = 1;
  bool channels_last = false;
};

// Normalizes each group of neighbouring channels of each image by the mean and
// the variance of its quantized values; `out` is as `input`, and may be the
// same. With mean and rstd as layer_norm.h has them, of channels / groups *
// positions quantized values:
//
//   x    = (q - input_zero_point) - (mean - input_zero_point)
//   y    = fma(x, weight * rstd, bias)
//   q    = QuantizeValue(y, 1 / output_scale, output_zero_point)
//
// In floats, rounded one by one but for fma; sums are exact. So does
// quantized_normalize_kernel of LibTorch 1.13 as gcc compiles it, but for what
// layer_norm.h says. With channels last LibTorch computes
// fma(quantized - zero_point, weight * rstd, bias - weight * rstd * mean),
// which rounds otherwise: its quantized values may be a step apart there; and
// of more images than a group has quantized values, it leaves some out. Here,
// the layout makes no difference.
void GroupNorm(const uint8_t* input, const GroupNormShape& shape,
               const NormalizationSpec& spec, uint8_t* out, Parallel parallel);

void GroupNormReference(const uint8_t* input, const GroupNormShape& shape,
                        const NormalizationSpec& spec, uint8_t* out);

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_NORMALIZATION_GROUP_NORM_H_
