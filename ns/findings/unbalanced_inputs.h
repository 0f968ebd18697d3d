// Finds concatenations that give one range to inputs of very different size.
#ifndef NS_FINDINGS_UNBALANCED_INPUTS_H_
#define NS_FINDINGS_UNBALANCED_INPUTS_H_

#include <cstddef>
#include <optional>

#include "ns/result/comparison_result.h"

namespace ns {

// An input of an aten::cat or aten::stack that is lost in the range that
// another input needs: scores from 0 to 1 beside boxes from 0 to 640.
struct UnbalancedInput {
  // The layer that concatenates, and the layer that makes the input.
  size_t layer = 0;
  size_t input = 0;
  // The width of the range of the largest input, divided by that of this one.
  double ratio = 1;
  // The SQNR, in dB, that the range leaves to this input: the local SQNR of
  // where it is quantized, if that has the scale of the concatenation already,
  // or else 10 log10(mean(x^2) / (scale^2 / 12)), and no less than 0.
  double sqnr_db = 0;
};

// The least ratio that counts: 4 of 8 bits are lost.
inline constexpr double kUnbalancedRatio = 16;

// An input with less than this SQNR, in dB, is lost.
inline constexpr double kLostInputDb = 10;

// Returns the input with the lowest SQNR of those that have a ratio of
// kUnbalancedRatio or more and are lost; absent where none is. The SQNR of all
// that is concatenated does not show it, since the larger inputs have nearly
// all of the power.
std::optional<UnbalancedInput> WorstUnbalancedInput(
    const ComparisonResult& result);

}  // namespace ns

#endif  // NS_FINDINGS_UNBALANCED_INPUTS_H_
