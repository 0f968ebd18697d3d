// Recognizes inputs that are not those which a model was calibrated for.
#ifndef NS_FINDINGS_INPUT_MISMATCH_H_
#define NS_FINDINGS_INPUT_MISMATCH_H_

#include <optional>

#include "ns/result/comparison_result.h"

namespace ns {

// If `layer` quantizes an input of the model, returns the width of the input's
// values divided by the width of the quantized range; absent for all other
// layers, and where a width is not known.
std::optional<double> InputWidth(const LayerComparison& layer);

// Whether `layer` quantizes an input of the model that is not like those of
// calibration: InputWidth is 4 or more, or 1/16 or less, or more than a fifth
// of the values are clipped. Batches that calibration did not see go beyond its
// range by far less, and a range of 7 bits is twice as wide as its values.
bool IsInputMismatch(const LayerComparison& layer);

}  // namespace ns

#endif  // NS_FINDINGS_INPUT_MISMATCH_H_
