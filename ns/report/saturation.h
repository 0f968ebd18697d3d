// Layers whose values run into the ends of the quantized range.
#ifndef NS_REPORT_SATURATION_H_
#define NS_REPORT_SATURATION_H_

#include <cstddef>
#include <vector>

#include "ns/suite/comparison_result.h"

namespace ns {

// Shares of clamped values up to this one, 0.1 %, are what observers give up on
// purpose for a finer step.
inline constexpr double kSaturationLimit = 0.001;

// Shares of all values, 0 to 1.
struct Saturation {
  size_t layer = 0;
  double at_lowest = 0;
  double at_highest = 0;
};

// The layers that have more than kSaturationLimit of their values at one end,
// the largest share first, equal ones in order of execution.
//
// An end counts only where the float values go beyond it by more than a step:
// after a ReLU half of the values are at the lowest code, which stands for the
// 0 they are, and rounding of value and zero point together are up to a step.
// The float side is that of the shadow, or without shadows of the activation.
std::vector<Saturation> SaturatingLayers(const ComparisonResult& result);

}  // namespace ns

#endif  // NS_REPORT_SATURATION_H_
