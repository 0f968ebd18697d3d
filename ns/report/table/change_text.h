// Says in words what a change is that was tried in a layer (TriedChange), and
// how much SQNR it gains.
#ifndef NS_REPORT_TABLE_CHANGE_TEXT_H_
#define NS_REPORT_TABLE_CHANGE_TEXT_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "ns/result/comparison_result.h"
#include "ns/result/tried_change.h"

namespace ns {

// A change is suggested when it gains at least this: when it takes away about a
// tenth of the power of the error.
inline constexpr double kLeastSuggestedGainDb = 0.5;

// Returns "range", "weight" or "bias".
absl::string_view ChangeKindName(ChangeKind kind);

// Returns by how many dB `change` raises the SQNR of the shadow of `layer`. The
// layer must have a shadow, whose SQNR is finite. Infinity where the change
// leaves no error.
double GainDb(const LayerComparison& layer, const TriedChange& change);

// Returns "scale 0.31 -> 0.024, zero point 64 -> 10: 12.1 -> 33.4 dB (+21.3)",
// "its weight quantized by channel: ..." or "the bias of the float layer: ...".
// `change` is one of those of `layer`.
std::string ChangeText(const LayerComparison& layer, const TriedChange& change);

// Returns "in float: output 21.6 -> 27.4 dB (+5.8)".
std::string FloatGainText(const FloatGain& gain);

// Returns the tried_changes of `layer` that gain enough to be suggested, the
// largest gain first. A layer with tried_changes must have a shadow.
std::vector<TriedChange> SuggestedChanges(const LayerComparison& layer);

}  // namespace ns

#endif  // NS_REPORT_TABLE_CHANGE_TEXT_H_
