// Says in a few sentences what is wrong with a quantized model.
#ifndef NS_FINDINGS_VERDICT_H_
#define NS_FINDINGS_VERDICT_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "ns/findings/error_causes.h"
#include "ns/result/comparison_result.h"

namespace ns {

struct Verdict {
  // The index of the layer to blame; absent where none is.
  std::optional<size_t> layer;
  // Why. Without a layer, what is wrong with the whole model, kTrainingMode,
  // kRescaled or kReducedRange, or else kNone.
  ErrorCause cause = ErrorCause::kNone;
  // Never empty. In this order, where they apply:
  //  * that the model was never calibrated (ns/findings/calibration.h);
  //  * where axes are exchanged (ns/findings/axis_order.h), and nothing else;
  //  * the FirstUnpairedFall, if it is the cause;
  //  * what is wrong with the whole model;
  //  * which layer is to blame and why, or that none stands out, unless the
  //    first sentence says why already;
  //  * which layers have a large error that is TakenBack, unless that was said;
  //  * the FirstUnpairedFall, if it is not the cause;
  //  * with activations and shadows: the FirstUnexplainedFall, or that there is
  //    none;
  //  * with activations or shadows: which layers clip their values, and which
  //    saturate on the processor that is emulated.
  // Control characters in names are escaped.
  std::vector<std::string> sentences;
};

// Returns the verdict; absent where no layer has a weight or a shadow, and
// where ComparisonResult::inputs_are_finite is false. It blames the layer of
// the FirstUnpairedFall (ns/findings/error_breakdown.h), with the cause
// kUnpaired, if
//  * its accumulated SQNR is below 20 dB, and so is that of an output of the
//    model, where these were compared, and
//  * BlameOf (ns/findings/blame.h) has no layer, or one whose cause is the
//    weight, clipping, the range, rounding or unexplained, and whose local SQNR
//    is 20 dB or more, or 10 dB and 6 dB above that accumulated SQNR. Other
//    causes are mistakes in that layer, whatever its SQNR.
// Otherwise its layer and cause are those of BlameOf, but kUnpaired where it
// HasRangeOfReplaced. Where that is none, a file that was saved in training
// mode is the cause, errors that are TakenBack, or ReducedRanges
// (ns/findings/reduced_range.h). Exchanged axes (FindAxisOrder) come before all
// of this: what follows them tells nothing. Where layers are swapped
// (ComparisonResult::swapped), no fall counts as unpaired. A model that was
// never calibrated (UncalibratedActivations) has that cause, and the layer of
// BlameOf, or else its first activation.
//
// Figures that flags add (LayerComparison::weight_only, activation_only,
// tried_changes) make sentences richer, and change no layer and no cause.
std::optional<Verdict> VerdictOf(const ComparisonResult& result);

// Whether the layer of `verdict` is one to go and look at: something is wrong
// with it, where rounding costs all layers something. An error that no figure
// explains counts below 3 dB. Without shadows, only another layer's weight and
// exchanged axes tell.
bool NamesCulprit(const ComparisonResult& result, const Verdict& verdict);

// Whether `verdict` names something to mend: such a layer, or a cause of the
// whole model.
bool SaysWhatToDo(const ComparisonResult& result, const Verdict& verdict);

}  // namespace ns

#endif  // NS_FINDINGS_VERDICT_H_
