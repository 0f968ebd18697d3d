// Recognizes inputs that are not those which a model was calibrated for.
#ifndef NS_FINDINGS_INPUT_MISMATCH_H_
#define NS_FINDINGS_INPUT_MISMATCH_H_

#include <optional>

#include "ns/result/comparison_result.h"

namespace ns {

// How inputs differ from those of calibration.
struct InputMismatch {
  enum class Kind {
    kWider,     // their values are at least 4 times as wide as the range
    kShifted,   // more than a fifth of them lie beyond the range
    kNarrower,  // their values are at most 1/16 as wide as the range
  };
  Kind kind = Kind::kWider;
  // The width of the input's values divided by the width of the quantized
  // range.
  double width = 1;
  // The part of the values that is clipped, 0 to 1.
  double clipped = 0;
};

// Returns how the input that `layer` quantizes differs from those of
// calibration: the first kind that holds. Absent where none does, for layers
// that quantize no input of the model, and where the widths are not known.
// Batches that calibration did not see go beyond its range by far less, and a
// range of 7 bits is twice as wide as its values.
std::optional<InputMismatch> InputMismatchOf(const LayerComparison& layer);

}  // namespace ns

#endif  // NS_FINDINGS_INPUT_MISMATCH_H_
