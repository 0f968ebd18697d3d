// Finds layers whose values run into the ends of the quantized range.
#ifndef NS_FINDINGS_SATURATION_H_
#define NS_FINDINGS_SATURATION_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "ns/result/comparison_result.h"

namespace ns {

// Shares of clipped values up to this one, 0.1 %, are what observers give up on
// purpose for a finer step.
inline constexpr double kSaturationLimit = 0.001;

// The shares of a layer's elements, 0 to 1, at the ends of the quantized range.
// `layer` is its index.
struct Saturation {
  size_t layer = 0;
  double at_lowest = 0;
  double at_highest = 0;
};

// Returns the layers that have more than kSaturationLimit of their elements at
// one end, the largest share first, equal ones in order of execution.
//
// An end counts only where the float values go beyond it by more than a step:
// after a ReLU half of the elements are at the lowest quantized value, which
// stands for the 0 they are, and rounding of value and zero point together is
// up to a step. The step is the layer's scale, or where that is not known an
// estimate from the quantized values that occur, which may be more. The float
// side is that of the shadow, or without shadows of the activation.
std::vector<Saturation> SaturatingLayers(const ComparisonResult& result);

// Returns the share of a layer's elements, 0 to 1, that are clipped at either
// end, by the same figures and rules. nan where the float values have nan among
// them, so that their range is not known. Absent where nothing was compared, or
// the quantized side has no 8 bits.
std::optional<double> ClippedShare(const LayerComparison& layer);

// Returns the part of ClippedShare() that no further batch can undo while the
// layer's scale stays the same. It is a share of the elements so far: more
// elements make it smaller. More batches can raise a step that is estimated;
// here, an end counts only where the float values go beyond it by the most that
// it can become. nan as above; 0 where ClippedShare() is absent.
double LastingClippedShare(const LayerComparison& layer);

}  // namespace ns

#endif  // NS_FINDINGS_SATURATION_H_
