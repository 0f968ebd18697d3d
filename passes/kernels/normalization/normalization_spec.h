// The parameters that all normalizations of quantized values take: scales and
// zero points, epsilon, weight and bias.
#ifndef PASSES_KERNELS_NORMALIZATION_NORMALIZATION_SPEC_H_
#define PASSES_KERNELS_NORMALIZATION_NORMALIZATION_SPEC_H_

#include <cstdint>

namespace ns::kernels {

struct NormalizationSpec {
  float input_scale = 1;
  int32_t input_zero_point = 0;
  // One float for each element of a row (layer norm) or for each channel. Null
  // stands for a weight of ones, or a bias of zeros.
  const float* weight = nullptr;
  const float* bias = nullptr;
  double eps = 1e-5;
  float output_scale = 1;
  int32_t output_zero_point = 0;
};

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_NORMALIZATION_NORMALIZATION_SPEC_H_
