// Finds places that share a scale which fits only one of them.
#ifndef NS_FINDINGS_SHARED_SCALE_H_
#define NS_FINDINGS_SHARED_SCALE_H_

#include <cstddef>
#include <optional>

#include "ns/result/comparison_result.h"

namespace ns {

// The values of the other place are at least so many times as wide.
inline constexpr double kSharedScaleRatio = 8;

// Returns the layer that has the scale and zero point of layer `index`, to the
// last digit, with values that need such a range and are kSharedScaleRatio
// times as wide as those of layer `index`. Of several, the first. Absent where
// there is none.
//
// Layers do not count that hand their range on from one to the other, as pools
// do, and neither do the fixed scales of a sigmoid or tanh (IsFixedScale in
// ns/findings/calibration.h), or those with which observers start.
std::optional<size_t> SharesScaleWith(const ComparisonResult& result,
                                      size_t index);

}  // namespace ns

#endif  // NS_FINDINGS_SHARED_SCALE_H_
