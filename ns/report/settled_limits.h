// Tells whether batches that are left can still change which limits are kept.
#ifndef NS_REPORT_SETTLED_LIMITS_H_
#define NS_REPORT_SETTLED_LIMITS_H_

#include <cstdint>
#include <vector>

#include "ns/suite/comparison_result.h"
#include "ns/suite/limit_check.h"

namespace ns {

// Returns whether some limit will be crossed, whatever the batches that are
// left hold: the verdict on the whole, and the exit status, are then known.
// `checks` are the limits held against `so_far`, the comparison after some
// batches, and `batches_left` is the number of those to come.
//
//   kMaxUnmatched  Ops do not depend on batches: crossed is crossed.
//   kFailBelow,    Crossed for good where the values of an output have nan or
//   kMaxDrop       infinities among them and its SQNR is nan or -inf, for so
//   are
//                  the sums that it is made of. Any other SQNR is a ratio of
//                  sums over all batches, which one batch can raise or lower by
//                  any amount: it is open until the last.
//   kMaxClip       Crossed for good where the float values have nan among them;
//                  or where the values that are clipped so far are a larger
//                  share than the bound of all elements, those to come
//                  included. The batches left are taken to be no larger, on
//                  average, than those before: this alone is not known.
//
// That all limits will be kept is never known before the last batch.
bool IsCrossedForGood(const std::vector<LimitCheck>& checks,
                      const ComparisonResult& so_far, int64_t batches_left);

}  // namespace ns

#endif  // NS_REPORT_SETTLED_LIMITS_H_
