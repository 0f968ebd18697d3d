// Tells whether a quantized model classifies worse than the float one, by more
// than samples differ by chance.
#ifndef NS_ACCURACY_PAIRED_TEST_H_
#define NS_ACCURACY_PAIRED_TEST_H_

#include "ns/accuracy/paired_counts.h"

namespace ns {

// The probability of as many lost samples as in `counts`, or more, if the true
// drop were `limit` points: McNemar's exact test, with a drop of `limit`
// instead of none. Of d samples that only one model has right, each is a lost
// one with the probability (1 + limit / 100 * samples / d) / 2. 1 where so few
// samples differ that the drop cannot be above the limit.
//
// A drop is significantly above the limit where this is less than
// kSignificance. Source: McNemar, "Note on the sampling error of the difference
// between correlated proportions or percentages", 1947.
double PValueOfDrop(const PairedCounts& counts, double limit);

inline constexpr double kSignificance = 0.05;

}  // namespace ns

#endif  // NS_ACCURACY_PAIRED_TEST_H_
