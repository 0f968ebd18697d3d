// Tells where the ranges of a quantized model come from, and recognizes models
// that were converted without calibration.
#ifndef NS_FINDINGS_CALIBRATION_H_
#define NS_FINDINGS_CALIBRATION_H_

#include <cstddef>

#include "ns/result/comparison_result.h"

namespace ns {

// Whether the range is 0 to 1 or -1 to 1, which a sigmoid, a softmax and a tanh
// have without calibration.
bool IsFixedScale(const LayerQParams& qparams);

// Whether the int8 op of `layer` gives its output the range of its input, as
// pools do. The quantize point after such a layer has a range of its own.
bool HasRangeOfInput(const LayerComparison& layer);

// Returns how many activations of the model are quantized, if none of them was
// calibrated: all have the scale and the zero point with which observers start
// (IsInitial of ns/findings/error_causes.h), and the values of at least one do
// not fit (IsUncalibrated). Where no values are known, two such activations are
// enough. Activations with a fixed range, such as that of a sigmoid, do not
// count. Returns 0 for all other models.
size_t UncalibratedActivations(const ComparisonResult& result);

}  // namespace ns

#endif  // NS_FINDINGS_CALIBRATION_H_
