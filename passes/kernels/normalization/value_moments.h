// Computes the mean and the reciprocal standard deviation of quantized values:
// the step that all normalizations share.
#ifndef PASSES_KERNELS_NORMALIZATION_VALUE_MOMENTS_H_
#define PASSES_KERNELS_NORMALIZATION_VALUE_MOMENTS_H_

#include <cstdint>

#include "passes/kernels/normalization/normalization_spec.h"

namespace ns::kernels {

// Exact sums over quantized values as they are stored: no zero point is
// subtracted.
struct ValueSums {
  int64_t sum;
  int64_t sum_of_squares;
};

struct ValueMoments {
  // The mean of the stored quantized values; no zero point is subtracted. In
  // float arithmetic, it is (mean - zero_point) + zero_point. So `q - mean` has
  // the same bits as `(q - zero_point) - (mean - zero_point)`.
  float mean;
  // The input's scale divided by the standard deviation, with eps as in
  // layer_norm.h. `(q - mean) * rstd` is the normalized value of q.
  float rstd;
};

// Computes the moments of `n` quantized values, at least 1, from their sums.
// The formulas are those of layer_norm.h. Of `spec`, it reads the input's scale
// and zero point, and eps.
ValueMoments MomentsOf(const ValueSums& sums, int64_t n,
                       const NormalizationSpec& spec);

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_NORMALIZATION_VALUE_MOMENTS_H_
