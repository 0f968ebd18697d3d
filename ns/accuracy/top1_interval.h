// Tells how far the difference in top-1 of two models may be chance.
#ifndef NS_ACCURACY_TOP1_INTERVAL_H_
#define NS_ACCURACY_TOP1_INTERVAL_H_

#include "ns/accuracy/paired_counts.h"

namespace ns {

// Shares of the samples, -1 to 1.
struct Top1Interval {
  double lowest = 0;
  double highest = 0;
};

// Returns the 95 % confidence interval of the difference in top-1, quantized
// minus float, of models that were given the same samples. With w samples that
// only the quantized model has right, l that only the float one has, n samples
// in all, and half a sample added to each of the four cells of the table (both
// right, both wrong, w and l):
//
//   d = (w - l) / (n + 2)
//   d +- 1.96 sqrt(w + l + 1 - (w - l)^2 / (n + 2)) / (n + 2)
//
// cut off at -1 and 1. Samples that both have right, or wrong, make it narrow:
// that is what pairs are for. Source: Agresti and Min, "Simple improved
// confidence intervals for comparing matched proportions", Statistics in
// Medicine 24, 2005. nan without samples.
Top1Interval Top1DifferenceInterval(const PairedCounts& counts);

}  // namespace ns

#endif  // NS_ACCURACY_TOP1_INTERVAL_H_
