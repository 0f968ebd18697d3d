// Mean and deviation of codes, which all normalizations share.
#ifndef PASSES_KERNELS_NORMALIZATION_CODE_MOMENTS_H_
#define PASSES_KERNELS_NORMALIZATION_CODE_MOMENTS_H_

#include <cstdint>

#include "passes/kernels/normalization/normalization_spec.h"

namespace ns::kernels {

struct CodeSums {
  int64_t sum;
  int64_t sum_of_squares;
};

struct CodeMoments {
  // In codes, rounded as (mean - zero_point) is.
  float mean;
  // The input's scale by the deviation: what a code less the mean is to be
  // multiplied by.
  float rstd;
};

// Those of `n` codes, 1 or more, as layer_norm.h says.
CodeMoments MomentsOf(const CodeSums& sums, int64_t n,
                      const NormalizationSpec& spec);

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_NORMALIZATION_CODE_MOMENTS_H_
