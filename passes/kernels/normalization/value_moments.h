// Computes the mean and the deviation of quantized values, which all
// normalizations share.
#ifndef PASSES_KERNELS_NORMALIZATION_VALUE_MOMENTS_H_
#define PASSES_KERNELS_NORMALIZATION_VALUE_MOMENTS_H_

#include <cstdint>

#include "passes/kernels/normalization/normalization_spec.h"

namespace ns::kernels {

struct ValueSums {
  int64_t sum;
  int64_t sum_of_squares;
};

struct ValueMoments {
  // The mean in steps, rounded as (mean - zero_point) is.
  float mean;
  // The input's scale by the deviation: what a quantized value less the mean is
  // to be multiplied by.
  float rstd;
};

// Computes the moments of `n` quantized values, 1 or more, as layer_norm.h
// says.
ValueMoments MomentsOf(const ValueSums& sums, int64_t n,
                       const NormalizationSpec& spec);

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_NORMALIZATION_VALUE_MOMENTS_H_
