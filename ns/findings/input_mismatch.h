// Recognizes inputs that are not those which a model was calibrated for.
#ifndef NS_FINDINGS_INPUT_MISMATCH_H_
#define NS_FINDINGS_INPUT_MISMATCH_H_

#include <optional>

#include "ns/result/comparison_result.h"

namespace ns {

// If `layer` quantizes an input of the model, returns the width of the input's
// values divided by the width of the quantized range. Absent where that ratio
// is between 1/16 and 4, and for all other layers: batches that calibration did
// not see go beyond its range by far less, and a range of 7 bits is twice as
// wide as its values.
std::optional<double> InputMismatch(const LayerComparison& layer);

}  // namespace ns

#endif  // NS_FINDINGS_INPUT_MISMATCH_H_
