// Finds where an error grows although no layer there makes it: where terms
// cancel, or where the two models compute different things.
//
// Figures and names are those of ns/findings/error_breakdown.h. All outputs of
// a layer are looked at, but only the first of a producer. Where the inputs of
// the models hold NaN or infinities, no layer is named.
#ifndef NS_FINDINGS_UNEXPLAINED_FALLS_H_
#define NS_FINDINGS_UNEXPLAINED_FALLS_H_

#include <cstddef>
#include <optional>

#include "ns/result/comparison_result.h"

namespace ns {

// An accumulated error is explained up to this ratio of powers, 6 dB: 3 dB for
// parts that are correlated (kDominanceRatio), and 3 dB for a product, to which
// both factors hand on their relative errors.
inline constexpr double kExplainedRatio = 4;

// Errors below this NSR, 100 dB, need no explanation: kernels that sum floats
// in another order cause them.
inline constexpr double kNegligibleNsr = 1e-10;

// A layer whose local error was not measured is expected to have no more than
// this NSR, 20 dB.
inline constexpr double kUnknownLocalNsr = 1e-2;

// Returns the accumulated SQNR, in dB, that an output of layer `index` (null
// for the first) has if the layer hands on the error of its inputs and adds its
// own to it:
//
//   NSR_expected = NSR_local + max over producers of NSR_accumulated
//
// A softmax, a sigmoid, or a norm makes a large relative error of a small one
// by what it is, a slice where it leaves the large values out: what was
// measured as inherited, if that is more, takes the place of the maximum. It
// does not in sums, such as those of linear layers, which hand on the error of
// their terms unless these cancel.
//
// Absent without producers; where the shadow of the layer or the activation of
// a producer is absent or nan; and where a value that is not compared flows in:
// what is not known cannot be ruled out as the cause.
std::optional<double> ExpectedAccumulatedDb(
    const ComparisonResult& result, size_t index,
    const OutputComparison* output = nullptr);

// Returns the first layer, in order of execution, whose accumulated error is
// not what is expected, so that it amplifies what it inherits:
//
//   NSR_accumulated > kExplainedRatio * NSR_expected
//
// and NSR_accumulated > kNegligibleNsr. A typical one is a sum whose terms
// nearly cancel. Layers with activations of nan, with an unpaired or replaced
// input, or for which nothing can be expected, are passed over.
std::optional<size_t> FirstUnexplainedFall(const ComparisonResult& result);

// Returns the first output of layer `index`, the FirstUnexplainedFall, whose
// error is not explained; null for the layer's first output.
const OutputComparison* UnexplainedOutput(const ComparisonResult& result,
                                          size_t index);

// Where what only one model computes makes the difference: a ReLU that was
// lost, a sum that was forgotten, a mean that became a maximum.
struct UnpairedFall {
  // A layer with an unpaired or a replaced input, which says what has no
  // counterpart.
  size_t layer = 0;
  // The output that falls; null for the layer's first output.
  const OutputComparison* output = nullptr;
  // Its accumulated SQNR in dB, and what it would be if the inputs did
  // correspond.
  double accumulated_db = 0;
  double expected_db = 0;
};

// Returns the first fall at a layer with an unpaired or a replaced input, from
// the formula of FirstUnexplainedFall. Where a value flows into the layer that
// is not compared, the largest accumulated error of all earlier layers takes
// its place; without earlier layers, nothing is inherited. Layers without a
// shadow are taken to have kUnknownLocalNsr. Absent where none falls.
std::optional<UnpairedFall> FirstUnpairedFall(const ComparisonResult& result);

}  // namespace ns

#endif  // NS_FINDINGS_UNEXPLAINED_FALLS_H_
