// Tells what the local error of a layer comes from.
//
// A layer's local error, s - y (ns/findings/error_breakdown.h), is what its own
// quantization does: to its weight, its bias, its output, and in its kernel.
// What each of these can have caused is known from what was measured, as a
// share of the mean squared error (MSE) of the output:
//
//   weight      PartShares::weight; where that was not measured, NSR(weight) /
//               NSR(shadow): noise in the weight meets the same inputs as the
//               weight does
//   bias        mean over channels of (difference of biases)^2 / MSE;
//               more than 2 is a corrected bias, which makes the error smaller,
//               unless a ReLU, or gates of a recurrent layer, hide that much
//   rounding    scale^2 / 12 / MSE: values are uniform within a step
//   clipping    sum over both ends of p d^2 / 3 / MSE, where a share p of the
//               values has the last quantized value and float values go up to d
//               beyond it: as if these were uniform; at least d^2 / elements
//   (both)      PartShares::activation, where it was measured, is what rounding
//               and clipping have together; the two estimates then only tell
//               how much of it each has
//   kernel      NSR(kernel) / NSR(shadow)
//   saturation  1 - NSR(shadow where no sum saturates) / NSR(shadow)
//
// LayerComparison::weight_only and activation_only do not count: the verdict is
// the same whether the user asks for them or not.
#ifndef NS_FINDINGS_ERROR_CAUSES_H_
#define NS_FINDINGS_ERROR_CAUSES_H_

#include <optional>

#include "ns/findings/causes.h"
#include "ns/result/comparison_result.h"

namespace ns {

// A range counts as too wide when it is this many times what the float values
// need: 12 dB. A range of 7 bits, as for fbgemm, has 2.
inline constexpr double kWideRange = 4;

// A weight whose SQNR, in dB, is below is another one, not just rounded.
inline constexpr double kOtherWeightDb = 10;

// A part explains an error when it is at least this share of it.
inline constexpr double kExplainingShare = 0.25;

// The shares of a layer's local error, which need not add up to 1. Absent where
// something was not measured.
struct ErrorShares {
  std::optional<double> weight;
  std::optional<double> bias;
  std::optional<double> rounding;
  std::optional<double> clipping;
  std::optional<double> kernel;
  std::optional<double> saturation;
};

// Returns the shares for the first output of `layer`; all are absent without a
// shadow, or where its SQNR is not finite.
ErrorShares ErrorSharesOf(const LayerComparison& layer);

// Returns the width of the quantized range, 255 * scale, divided by that of the
// smallest range with 0 and all float values of the shadow (without one, of the
// activation). Absent where qparams or values are not known, all values are 0,
// or the output does not have 8 bits.
std::optional<double> RangeRatio(const LayerComparison& layer);

// True for the scale 1 and the zero point 0, which an observer gives that has
// seen no values.
bool IsInitial(const LayerQParams& qparams);

// True where the qparams of `layer` are IsInitial and its values do not fit: by
// kWideRange, or by more than a step at one end.
bool IsUncalibrated(const LayerComparison& layer);

// Returns the lowest SQNR of the weights of `layer` in dB; absent without any.
std::optional<double> LowestWeightDb(const LayerComparison& layer);

// Returns what causes the local error of `layer`, of the causes that one layer
// shows: ns/findings/blame.h and verdict.h add those that need more. The first
// that applies:
//   1. kSwapped if it has the weight of another layer, also without a shadow
//   2. kNone without a shadow or an error
//   3. kBias if a bias is missing and has kExplainingShare or more
//   4. kWeight if the SQNR of the weight is below kOtherWeightDb and it has
//      kExplainingShare or more: a bias that differs, too, came with it
//   5. the part with the largest share, if that is kExplainingShare or more;
//      of rounding, kRange if RangeRatio is above kWideRange
//   6. kRounding for a dynamic layer, which rounds its inputs
//   7. kUnexplained
// Of clipping, a range, rounding and what is unexplained, kNeverCalibrated
// where the layer IsUncalibrated.
ErrorCause CauseOf(const LayerComparison& layer);

}  // namespace ns

#endif  // NS_FINDINGS_ERROR_CAUSES_H_
