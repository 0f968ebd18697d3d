// Tells whether batches that are left can still change which limits are kept.
#ifndef NS_FINDINGS_LIMITS_SETTLED_LIMITS_H_
#define NS_FINDINGS_LIMITS_SETTLED_LIMITS_H_

#include <cstdint>
#include <vector>

#include "ns/result/comparison_result.h"
#include "ns/result/limit_check.h"

namespace ns {

// Returns whether some limit will be crossed, whatever the batches that are
// left hold: the verdict on the whole, and the exit status, are then known.
// `checks` are the limits held against `so_far`, the comparison after some
// batches, and `batches_left` is the number of those to come.
//
//  * kMaxUnmatched: always crossed for good, as ops do not depend on batches.
//  * kFailBelow, and kMaxDrop of activations: crossed for good where an output
//    has nan or infinite values and its SQNR is nan or -inf, which no further
//    batch can mend. Any other SQNR is a ratio of sums over all batches, which
//    one batch can raise or lower by any amount: it is open until the last.
//    kMaxDrop of other figures always counts as open.
//  * kMaxClip: crossed for good where some float value is nan, or where the
//    values clipped so far exceed the bound as a share of all elements, those
//    to come included. This assumes that the batches left are no larger, on
//    average, than those before.
//
// That all limits will be kept is never known before the last batch.
bool IsCrossedForGood(const std::vector<LimitCheck>& checks,
                      const ComparisonResult& so_far, int64_t batches_left);

}  // namespace ns

#endif  // NS_FINDINGS_LIMITS_SETTLED_LIMITS_H_
