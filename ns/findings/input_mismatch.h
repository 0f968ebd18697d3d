// Recognizes inputs that are not those which a model was calibrated for.
#ifndef NS_FINDINGS_INPUT_MISMATCH_H_
#define NS_FINDINGS_INPUT_MISMATCH_H_

#include <optional>

#include "ns/result/comparison_result.h"

namespace ns {

// Returns how many times as wide as the quantized range the values are that an
// input of the model has, where `layer` is the point at which it is quantized,
// and these are 4 times as wide or more, or 1/16 as wide or less. Absent for
// all other layers. Batches that calibration did not see go beyond its range by
// far less, and a range of 7 bits is twice as wide as its values.
std::optional<double> InputMismatch(const LayerComparison& layer);

}  // namespace ns

#endif  // NS_FINDINGS_INPUT_MISMATCH_H_
