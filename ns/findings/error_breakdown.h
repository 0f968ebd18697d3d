// Tells where the error of a quantized model arises, and where it only passes
// through.
//
// A layer has three errors. With a, the float model's value there; s, what the
// float layer computes from the quantized model's inputs (its shadow); and y,
// the quantized model's value there:
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
// float side is zero (SQNR -inf). An SQNR of nan counts as no figure, and so
// does one of values among which are NaN or infinities. Where inputs hold such
// values (ComparisonResult::inputs_are_finite), no layer is named below:
// quantization turns them into some number, and all that follows is computed
// from it.
//
// Each output of a layer with several, such as an LSTM, has figures of its own.
// WorstOffender looks at all of them; DominantPart and TakenBack look at the
// first only.
#ifndef NS_FINDINGS_ERROR_BREAKDOWN_H_
#define NS_FINDINGS_ERROR_BREAKDOWN_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "ns/result/comparison_result.h"

namespace ns {

// When an error has two parts, one is the larger from this ratio of powers on,
// 3 dB. It is the most by which the power of a sum of two errors can exceed the
// sum of their powers, when they are fully correlated: |e + f|^2 <= 2 (|e|^2 +
// |f|^2).
inline constexpr double kDominanceRatio = 2;

// An error is taken back when less than 1 / kTakenBackRatio of its power is
// left: it is 10 dB lower.
inline constexpr double kTakenBackRatio = 10;

// Returns the NSR, as a ratio of powers, of an SQNR in dB.
double NoiseToSignal(double sqnr_db);

// Returns the NSR of `error`; absent for nan.
std::optional<double> NsrOf(const ErrorFigures& error);

// Returns the NSR of `figures`; also absent where there are none, and where a
// value is NaN or infinite (IsOfFiniteValues), since the figure then tells of
// nothing else.
std::optional<double> NsrOf(const std::optional<ActivationComparison>& figures);

// Says which part of a layer's accumulated error is the larger one.
enum class ErrorPart { kLocal, kInherited, kBoth };

// Returns "local", "inherited" or "both".
absl::string_view ErrorPartName(ErrorPart part);

// Returns the part whose NSR is more than kDominanceRatio times that of the
// other; kBoth when neither is. Absent where a part was not measured or is nan,
// and where there is no error at all.
std::optional<ErrorPart> DominantPart(const LayerComparison& layer);

// True where no value on either side is NaN or infinite, besides infinities
// that both sides have in common, as masked scores are: these have no error,
// and the figures are those of the other values.
bool IsOfFiniteValues(const ActivationComparison& figures);

// True where an output of `layer` has numbers where its float form, on the same
// inputs, has infinities: the mask of an attention is lost there.
bool LosesInfinities(const LayerComparison& layer);

// Returns, for each layer, whether its local error is taken back, there or
// behind it. Quantizing with --smooth or --equalize moves factors from one
// layer to the next: each of the two alone then differs from the float model,
// and so do the values between them, but both together do not. A layer takes
// errors back, its own among them, where
//
//   kTakenBackRatio * NSR_accumulated < NSR_local and < NSR_inherited
//
// The error of a layer in front is taken back where each way from there to
// other compared layers leads to one that takes errors back, and
//
//   kTakenBackRatio * max over these of NSR_accumulated < NSR_local
//
// Layers that are not rescaled have errors that do not depend on each other,
// and do not cancel so far.
std::vector<bool> TakenBack(const ComparisonResult& result);

// Returns how much harm each layer does by itself, to be compared with that of
// the others: its share of the error of the model's outputs, at least 0, where
// SharesHold (ns/findings/output_shares.h), and else the NSR of the output with
// the lowest local SQNR, inf for an error where the float side is zero. Where
// only clamps that hardly add to the error read the layer, that NSR is at most
// the accumulated one behind them less the one that the layer inherits: what
// they cut off does no harm. 0 for a layer whose error is TakenBack, whose
// local SQNR is nan or that is exact, one where the float model has NaN or
// infinities that the quantized one has not (IsOfFiniteValues), and one with an
// unpaired input.
std::vector<double> Harms(const ComparisonResult& result);

// Returns the layer to look at first: the first that produces NaN or infinities
// where its float form, on the same inputs, produces numbers, or that
// LosesInfinities, or else the one that Harms most, the first among equals.
// Absent without shadows, since accumulated errors do not tell which layer
// caused them.
std::optional<size_t> MostHarmful(const ComparisonResult& result);

// Returns the MostHarmful layer; where SharesHold, none that has a share of
// kSpreadShare or less: the error is spread.
std::optional<size_t> WorstOffender(const ComparisonResult& result);

// Returns the output by which WorstOffender judges `layer`; null for the first
// output.
const OutputComparison* OffendingOutput(const LayerComparison& layer);

}  // namespace ns

#endif  // NS_FINDINGS_ERROR_BREAKDOWN_H_
