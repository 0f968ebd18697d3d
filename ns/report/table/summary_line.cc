#include "ns/report/table/summary_line.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace ns {

std::string SummaryLine(absl::string_view label, absl::string_view text) {
  return absl::StrFormat("%-22s  %s\n", label, text);
}

std::string CureLines(const Cure& cure) {
  return absl::StrCat(
      SummaryLine("help", cure.sentence),
      cure.command.empty() ? "" : SummaryLine("", cure.command));
}

}  // namespace ns
