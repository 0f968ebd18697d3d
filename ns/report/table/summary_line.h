// Writes a line of the summary below a table.
#ifndef NS_REPORT_TABLE_SUMMARY_LINE_H_
#define NS_REPORT_TABLE_SUMMARY_LINE_H_

#include <string>

#include "absl/strings/string_view.h"
#include "ns/findings/cure.h"

namespace ns {

// Returns "verdict                 fc is to blame", with the texts of all lines
// below each other.
std::string SummaryLine(absl::string_view label, absl::string_view text);

// Returns what helps, "help                    keep it in float", and the
// command that does it, if there is one, in a line of its own.
std::string CureLines(const Cure& cure);

}  // namespace ns

#endif  // NS_REPORT_TABLE_SUMMARY_LINE_H_
