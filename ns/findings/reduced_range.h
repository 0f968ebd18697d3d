// Recognizes models whose activations have 7 bits.
#ifndef NS_FINDINGS_REDUCED_RANGE_H_
#define NS_FINDINGS_REDUCED_RANGE_H_

#include <cstddef>

#include "ns/result/comparison_result.h"

namespace ns {

// Returns how many activations of the model have 8 bits and a range of their
// own, if most of them use the lower half of it alone, as `reduce_range` of
// PyTorch's observers has it for fbgemm: every zero point is at most 127, and
// of four ranges in five RangeRatio (ns/findings/error_causes.h) is 1.6 or
// more, but below kWideRange. Returns 0 for other models, for those with less
// than 3 such activations, and where every output has 30 dB or more, which the
// lost bit does not harm.
size_t ReducedRanges(const ComparisonResult& result);

}  // namespace ns

#endif  // NS_FINDINGS_REDUCED_RANGE_H_
