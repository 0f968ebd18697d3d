// Chooses the range to quantize of values that were seen; values beyond it are
// clipped.
#ifndef PASSES_RUNTIME_OBSERVERS_VALUES_RANGE_SEARCH_H_
#define PASSES_RUNTIME_OBSERVERS_VALUES_RANGE_SEARCH_H_

#include "passes/runtime/observers/values/exact_histogram.h"
#include "passes/runtime/observers/values/qparams.h"
#include "passes/runtime/observers/values/value_range.h"

namespace ns {

// Each function returns a range that holds zero, and is a part of that of the
// finite values of `histogram`, widened to zero. There must be such a value.

// Returns the range with the smallest squared error of quantizing to `grid`
// (SquaredError), of those tried: both ends (of a symmetric grid, together)
// move inwards by factors of 2^(1/4), down to 1/128, and then around the best
// by smaller factors. The errors of clipped values count `clipping_weight`
// times.
Interval LeastSquaredErrorRange(const ExactHistogram& histogram,
                                const QuantGrid& grid, double clipping_weight);

// Returns the shortest range, to the width of a bin, such that at most the
// share `1 - percentile` of the values lies below it, and at most as many above
// it. `percentile` is 0 to 1, such as 0.9999.
Interval PercentileRange(const ExactHistogram& histogram, double percentile);

// Returns the range -t..t, cut to the range of the values, for which quantizing
// to `grid` changes their distribution least, of at most 256 that are tried. It
// has the smallest Kullback-Leibler divergence of Q from P, histograms without
// exact zeros: P has clipped values in its end bins; Q leaves them out, and has
// the counts of each step of the grid spread evenly over those of its bins that
// are not empty. After Migacz, "8-bit inference with TensorRT", 2017; but Q is
// not scaled to a sum of 1 here, since then a range with hardly any values can
// be the best.
Interval LeastDivergenceRange(const ExactHistogram& histogram,
                              const QuantGrid& grid);

}  // namespace ns

#endif  // PASSES_RUNTIME_OBSERVERS_VALUES_RANGE_SEARCH_H_
