// Names limits, and says in words which of them a comparison crossed.
#ifndef NS_REPORT_LIMIT_TEXT_H_
#define NS_REPORT_LIMIT_TEXT_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "ns/suite/limit_check.h"

namespace ns {

// Returns the name of the flag: "fail-below", "max-clip", "max-unmatched",
// "max-drop".
absl::string_view LimitName(LimitKind kind);

// Returns the kind with that name; absent when there is none.
std::optional<LimitKind> LimitKindNamed(absl::string_view name);

// Returns what was checked: "fc", "lstm (c_n)"; empty for the whole comparison.
// Control characters are escaped.
std::string CheckedPlace(const LimitCheck& check);

// Returns why a check that did not pass did not, without the place: "activation
// SQNR 21.3 dB is below --fail-below=30".
std::string CrossedText(const LimitCheck& check);

// Returns the checks that did not pass.
std::vector<LimitCheck> CrossedLimits(const std::vector<LimitCheck>& checks);

// Returns one line for standard error: "2 limits crossed: fc: activation SQNR
// 21.3 dB is below --fail-below=30; 3 ops are unmatched, ...". It has the first
// 20 of them, and is empty where none was crossed.
std::string CrossedLine(const std::vector<LimitCheck>& checks);

// Return lines for the summary below a table: how many limits were kept, and a
// list of those crossed; and the layers that a baseline has not, or that it
// alone has.
std::string LimitLines(const std::vector<LimitCheck>& checks);
std::string BaselineLines(const BaselineLayers& baseline);

}  // namespace ns

#endif  // NS_REPORT_LIMIT_TEXT_H_
