// Ranks layers by what they make of the error of the model's outputs.
#ifndef NS_FINDINGS_OUTPUT_SHARES_H_
#define NS_FINDINGS_OUTPUT_SHARES_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "ns/result/comparison_result.h"

namespace ns {

// A layer with less than this share does not stand out.
inline constexpr double kSpreadShare = 0.1;

// Returns the sum of all LayerComparison::output_share: 1 where they explain
// the error of the outputs, less where something else adds to it. Absent where
// no layer has a share.
std::optional<double> ExplainedShare(const ComparisonResult& result);

// Whether shares tell which layers do harm: together they explain half of the
// error of the outputs or more, and their sizes add up to no more than twice
// that error. So they explain it within 3 dB, and few cancel. Where factors
// were moved between layers, as by --smooth and --equalize, large errors
// cancel, and the share of one alone says nothing.
bool SharesHold(const ComparisonResult& result);

// Returns the layers with shares above 0, those with the largest first.
std::vector<size_t> LayersByShare(const ComparisonResult& result);

// Returns `layer` and, where SharesHold, the others whose shares are at most
// a tenth smaller: these are to blame no less.
std::vector<size_t> LayersLike(const ComparisonResult& result, size_t layer);

}  // namespace ns

#endif  // NS_FINDINGS_OUTPUT_SHARES_H_
