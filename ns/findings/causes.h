// The causes that a quantized model can differ from its float model for: a row
// for each.
#ifndef NS_FINDINGS_CAUSES_H_
#define NS_FINDINGS_CAUSES_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace ns {

enum class ErrorCause {
  kNone,        // there is no error to speak of
  kNonFinite,   // NaN or infinities appear where the float layer has numbers
  kSwapped,     // the layer has the weight, or the place, of another one
  kBias,        // the two biases differ, or one is missing
  kWeight,      // the quantized weight is far from the float one
  kClipping,    // values lie beyond the ends of the quantized range
  kRange,       // the range is so wide that few quantized values are in use
  kRounding,    // the rounding of 8 bits that a fitting range leaves
  kKernel,      // the kernel does not compute what a reference kernel does
  kSaturation,  // sums of products saturate on the processor that is emulated
  kUnpaired,    // only one model has what flows in
  // The scale and zero point are those with which observers start.
  kNeverCalibrated,
  // One range for what is concatenated, in which a smaller input is lost.
  kUnbalancedInputs,
  // A few channels set the range, in which the others are lost.
  kOutlierChannel,
  // A few channels have one quantized value, and are missed.
  kDeadChannels,
  // A root, a logarithm or a division needs small values of a product.
  kCoarseSquares,
  // Two axes of a value are in the other order.
  kAxisOrder,
  // A range that another place needs, with values of another size.
  kSharedScale,
  // The weight has factors for its channels that belong to another call of the
  // same module.
  kSharedWeight,
  // The inputs are not those that the model was calibrated for.
  kInputMismatch,
  // The error grows from step to step of a value that is handed on.
  kRecurrentState,
  // All activations have 7 bits; of the model, not of a layer.
  kReducedRange,
  // Factors were moved between layers; of the model likewise.
  kRescaled,
  // A file was saved in training mode; of the model likewise.
  kTrainingMode,
  kUnexplained,  // none of what was measured is large enough
};

// What users read of a cause. Texts are plain, and have no line breaks.
struct CauseRow {
  ErrorCause cause;
  // "unbalanced-inputs": of messages, JSON and `ns explain`.
  absl::string_view name;
  // Whether it is a matter of degree: what does more harm elsewhere is then to
  // blame instead. The other causes are mistakes in one layer, whatever they
  // cost.
  bool is_matter_of_degree;
  // What it is, how to recognize it, and what to do about it.
  absl::string_view meaning;
  absl::string_view sign;
  absl::string_view cure;
  // What users see, and what they then do.
  absl::string_view example;
};

// Returns a row for each cause, kNone's first, and the others in the order of
// their names.
absl::Span<const CauseRow> Causes();

// Returns the row of `cause`.
const CauseRow& RowOf(ErrorCause cause);

// Returns the row of the cause with this name; null where none has it.
const CauseRow* FindCause(absl::string_view name);

// Returns the name of `cause`.
absl::string_view ErrorCauseName(ErrorCause cause);

// Whether `cause` is a matter of degree (CauseRow).
bool IsMatterOfDegree(ErrorCause cause);

}  // namespace ns

#endif  // NS_FINDINGS_CAUSES_H_
