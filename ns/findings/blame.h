// Finds the layer that is to blame for the error of a quantized model.
#ifndef NS_FINDINGS_BLAME_H_
#define NS_FINDINGS_BLAME_H_

#include <cstddef>
#include <optional>

#include "ns/findings/error_causes.h"
#include "ns/result/comparison_result.h"

namespace ns {

struct Blame {
  // Its index in ComparisonResult::layers.
  size_t layer = 0;
  // What the layer is blamed for.
  ErrorCause cause = ErrorCause::kNone;
};

// Returns the layer to blame; absent where none is.
//
// The first of these rules that names a layer decides:
//   1. The first of two layers that run in another order than in the float
//      model, if its activation is below 10 dB or was not measured.
//   2. Where the WorstOffender clips, or has a range that does not fit: the
//      first input in front of it that is below 10 dB and is not like those of
//      calibration (ns/findings/input_mismatch.h).
//   3. Where the WorstOffender (ns/findings/error_breakdown.h) clips: of the
//      layers in front of it that harm at most 10 dB less (Harms), the first
//      with a wrong weight or bias, or else the first that clips, too, and is
//      below 30 dB. What comes out of it is not what the layers behind were
//      calibrated for.
//   4. Where rounding, or nothing that was measured, explains the error of the
//      WorstOffender: of the layers that harm at most 10 dB less and that have
//      a mistake, the one that harms most.
//   5. The WorstOffender.
//   6. Where the rules so far name no layer, or one without a mistake other
//      than its range, whose local SQNR is no lower: the layer of the
//      WorstUnbalancedInput (ns/findings/unbalanced_inputs.h). The range of a
//      smaller input is often that of the concatenation already.
//   7. Likewise the WorstLostChannels (ns/findings/lost_channels.h).
//   8. Where the rules so far name no layer, or one without a mistake other
//      than its range: the layer of FindCoarseSquares
//      (ns/findings/coarse_squares.h). What follows it tells nothing.
//   9. Where the rules so far name no layer, or one that rounds, or whose error
//      nothing explains: the layer of the WorstDeadChannels (in the same file).
// Without shadows, 2 to 9 give way to the first layer that has the weight of
// another one, or else the layer with the lowest weight SQNR, if that is below
// 10 dB.
//
// A wrong weight is that of another layer, or has an SQNR below 10 dB. A wrong
// bias is missing, or differs in a layer whose local SQNR is below 30 dB: one
// that differs in a better layer was corrected on purpose. These are mistakes,
// and so are NaN and infinities that only the quantized layer has, and a range
// that is at least 8 times too wide.
//
// A layer without a mistake is not blamed where its local SQNR is 30 dB or
// more, unless it makes more than half of the error of outputs of which one is
// below 20 dB. Neither is it where its cause IsMatterOfDegree and every output
// of the model has 30 dB or more, nor where shares do not hold and it has a
// range that it was given and inherits more than it adds. The next in question
// are then the layer with a mistake that has the lowest local SQNR, if that is
// below 30 dB, whether the outputs show it or not, and the WorstState
// (ns/findings/recurrent_state.h).
//
// A cause is told more closely where the layer shares its weight
// (LayerComparison::shares_weight_with) or its scale
// (ns/findings/shared_scale.h) with another one, is computed again and again
// with a growing error (ns/findings/recurrent_state.h), is an input that is not
// like those of calibration (ns/findings/input_mismatch.h), or LosesChannels. A
// range that the input of the layer gave it, or calibration, is no mistake of a
// layer with 30 dB.
std::optional<Blame> BlameOf(const ComparisonResult& result);

// Whether the error of the layer to blame may be due to its input, which the
// models compute with different ops (LayerComparison::replaced_input). It may
// for a layer without a weight whose error is unexplained, or due to a range or
// to clipping where its int8 op takes over the range of its input, as pools do.
// A range of its own is to blame itself, whatever flows in.
bool HasRangeOfReplaced(const ComparisonResult& result, const Blame& blame);

}  // namespace ns

#endif  // NS_FINDINGS_BLAME_H_
