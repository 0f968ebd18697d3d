// Which part of the values that were seen to quantize, values beyond it being
// clipped.
#ifndef PASSES_RUNTIME_OBSERVERS_RANGE_SEARCH_H_
#define PASSES_RUNTIME_OBSERVERS_RANGE_SEARCH_H_

#include "passes/runtime/observers/exact_histogram.h"
#include "passes/runtime/observers/qparams.h"
#include "passes/runtime/observers/value_range.h"

namespace ns {

// Each returns a part of the range of `histogram`, which holds a finite value,
// widened to zero.

// The range for which quantizing to `grid` has the smallest squared error
// (SquaredError), of those tried: both ends move inwards by factors of 2^(1/4),
// then on from the best by smaller ones. The errors of clipped values count
// `clipping_weight` times.
Interval LeastSquaredErrorRange(const ExactHistogram& histogram,
                                const QuantGrid& grid, double clipping_weight);

// The shortest range below which, and above which, lies at most the share
// `1 - percentile` of the values each.
Interval PercentileRange(const ExactHistogram& histogram, double percentile);

// The range -t..t, cut to the values that there are, for which the values as
// `grid` keeps them resemble the values most: with the smallest divergence
// (Kullback and Leibler) between the histogram, clipped values in its end bins,
// and the same without clipped values, the counts of each step spread over its
// bins. After Migacz, "8-bit inference with TensorRT", 2017; but there the
// second sums to 1, so that a range with hardly any values can be the best.
Interval LeastDivergenceRange(const ExactHistogram& histogram,
                              const QuantGrid& grid);

}  // namespace ns

#endif  // PASSES_RUNTIME_OBSERVERS_RANGE_SEARCH_H_
