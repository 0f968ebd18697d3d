// Where the error of a quantized model arises, and where it only passes.
//
// A layer has three errors. With a, what the float model has there; s, what the
// float layer makes of the quantized model's inputs (its shadow); and y, what
// the quantized model has there:
//
//   accumulated  a - y  LayerComparison::activation
//   inherited    a - s  LayerComparison::inherited
//   local        s - y  LayerComparison::shadow
//
//   a - y = (a - s) + (s - y)
//
// As tensors they add up; as powers they do where they are uncorrelated. Their
// figures are SQNR in dB, each relative to its own x: a, a and s. The noise to
// signal ratio, of powers, is
//
//   NSR = |x - y|^2 / |x|^2 = 10^(-SQNR / 10)
//
// which is 0 for an exact copy (SQNR +inf) and +inf for an error where the
// float side is zero (SQNR -inf). An SQNR of nan is no figure, nor is one of
// values among which are NaN or infinities. Where inputs hold such, no layer is
// named below: quantization makes some number of them, and all that follows is
// computed from it.
//
// A layer with several outputs, such as an LSTM, is judged by the worst of
// them; each has figures of its own.
#ifndef NS_REPORT_ERROR_BREAKDOWN_H_
#define NS_REPORT_ERROR_BREAKDOWN_H_

#include <cstddef>
#include <optional>

#include "absl/strings/string_view.h"
#include "ns/suite/comparison_result.h"

namespace ns {

// Of two parts of an error, one is the larger from this ratio of powers on, 3
// dB. It is the most that two errors can make of the sum of their powers, when
// they are fully correlated: |e + f|^2 <= 2 (|e|^2 + |f|^2).
inline constexpr double kDominanceRatio = 2;

// An accumulated error is explained up to this ratio of powers, 6 dB: 3 dB for
// parts that are correlated, as above, and 3 dB for a product, to which both
// factors hand on their relative errors.
inline constexpr double kExplainedRatio = 4;

// Errors below this NSR, 100 dB, need no explanation: kernels that sum floats
// in another order make such.
inline constexpr double kNegligibleNsr = 1e-10;

// The NSR, as a ratio of powers, of an SQNR in dB.
double NoiseToSignal(double sqnr_db);

// Which part of a layer's accumulated error is the larger one.
enum class ErrorPart { kLocal, kInherited, kBoth };

// "local", "inherited" or "both".
absl::string_view ErrorPartName(ErrorPart part);

// The part whose NSR is more than kDominanceRatio times that of the other;
// kBoth for neither. Absent where a part was not measured or is nan, and where
// there is no error at all.
std::optional<ErrorPart> DominantPart(const LayerComparison& layer);

// True where no value on either side is NaN or infinite.
bool IsOfFiniteValues(const ActivationComparison& figures);

// The layer that does most harm by itself: the first that makes NaN or
// infinities where its float form, on the same inputs, makes numbers, or else
// that of the lowest local SQNR, the first one among equals. Neither nan nor an
// exact layer is one, but -inf is: an error where nothing was to be. Nor is a
// layer where the float model has NaN or infinities, or one with an unpaired
// input. Absent without shadows, since accumulated errors do not tell who made
// them.
std::optional<size_t> WorstOffender(const ComparisonResult& result);

// The output by which WorstOffender judges `layer`; null for the first output.
const OutputComparison* OffendingOutput(const LayerComparison& layer);

// The accumulated SQNR, in dB, that an output of layer `index`, null for the
// first, has if the layer hands on what it gets and adds its own error to it:
//
//   NSR_expected = max over producers of NSR_accumulated + NSR_local
//
// Absent without producers, or where the shadow or the activation of one of
// them is absent or nan, or something else than what is compared there flows
// in: what is not known cannot be ruled out as the cause.
std::optional<double> ExpectedAccumulatedDb(
    const ComparisonResult& result, size_t index,
    const OutputComparison* output = nullptr);

// The first layer, in order of execution, whose accumulated error its local
// error does not explain, so that it amplifies what it inherits:
//
//   NSR_accumulated > kExplainedRatio * NSR_expected
//
// and NSR_accumulated > kNegligibleNsr. Typical is a sum whose terms nearly
// cancel. Layers with activations of nan, with an unpaired input, or for which
// nothing can be expected, are passed over.
std::optional<size_t> FirstUnexplainedFall(const ComparisonResult& result);

// The first output of that layer, `index`, whose error is not explained; null
// for the first output of all.
const OutputComparison* UnexplainedOutput(const ComparisonResult& result,
                                          size_t index);

}  // namespace ns

#endif  // NS_REPORT_ERROR_BREAKDOWN_H_
