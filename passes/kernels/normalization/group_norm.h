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
// the variance of its quantized values. `out` has the shape of `input`, and may
// be the same memory. mean and rstd are those of layer_norm.h, with
// n = channels / groups * positions:
//
//   x    = (q - input_zero_point) - (mean - input_zero_point)
//   y    = fma(x, weight * rstd, bias)
//   q    = QuantizeValue(y, 1 / output_scale, output_zero_point)
//
// Each operation rounds to float, an fma once; sums are exact. The results are
// those of quantized_normalize_kernel of LibTorch 1.13 as gcc compiles it, with
// the exception that layer_norm.h has. With channels last, LibTorch computes
// fma(quantized - zero_point, weight * rstd, bias - weight * rstd * mean)
// instead: this rounds differently, so that its quantized values may be a step
// away. It also leaves out some images there, when there are more of them than
// quantized values in a group. Here, both layouts give the same results.
void GroupNorm(const uint8_t* input, const GroupNormShape& shape,
               const NormalizationSpec& spec, uint8_t* out, Parallel parallel);

void GroupNormReference(const uint8_t* input, const GroupNormShape& shape,
                        const NormalizationSpec& spec, uint8_t* out);

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_NORMALIZATION_GROUP_NORM_H_
