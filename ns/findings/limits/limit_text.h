// Names limits, and says in words which of them a comparison crossed.
#ifndef NS_FINDINGS_LIMITS_LIMIT_TEXT_H_
#define NS_FINDINGS_LIMITS_LIMIT_TEXT_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "ns/result/limit_check.h"

namespace ns {

// Returns the name of the command-line flag that sets the limit, without its
// dashes in front: "fail-below", "max-clip", "max-unmatched", "max-drop", ...
absl::string_view LimitName(LimitKind kind);

// Returns the kind that LimitName calls `name`; absent when there is none.
std::optional<LimitKind> LimitKindNamed(absl::string_view name);

// Returns the name of the layer that was checked, with the output if it is not
// the first one: "fc", "lstm (c_n)". Empty for a limit on the whole comparison.
// Control characters are escaped.
std::string CheckedPlace(const LimitCheck& check);

// Returns why `check`, which did not pass, did not, without CheckedPlace:
// "activation SQNR 21.3 dB is below --fail-below=30".
std::string CrossedText(const LimitCheck& check);

// Returns the checks that did not pass.
std::vector<LimitCheck> CrossedLimits(const std::vector<LimitCheck>& checks);

// Returns one line for standard error: "2 limits crossed: fc: activation SQNR
// 21.3 dB is below --fail-below=30; 3 ops are unmatched, ...". It lists the
// first 20 crossed limits. Empty if none was crossed.
std::string CrossedLine(const std::vector<LimitCheck>& checks);

// Return plain text for the summary below a table: an empty line in front, and
// a line break at the end of each line. LimitLines says how many limits were
// kept or crossed, and lists the first 20 crossed ones. BaselineLines lists the
// layers that only this comparison has, and those that only the baseline has;
// it is empty if there are none.
std::string LimitLines(const std::vector<LimitCheck>& checks);
std::string BaselineLines(const BaselineLayers& baseline);

}  // namespace ns

#endif  // NS_FINDINGS_LIMITS_LIMIT_TEXT_H_
