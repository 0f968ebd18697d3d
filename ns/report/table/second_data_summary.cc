#include "ns/report/table/second_data_summary.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ns/findings/cure.h"
#include "ns/findings/data_shift.h"
#include "ns/report/table/summary_line.h"
#include "ns/result/printable.h"

namespace ns {

std::string SecondDataSummary(const ComparisonResult& result) {
  if (!result.second_data) {
    return "";
  }
  constexpr size_t kListed = 5;
  std::string lines =
      "\n" + SummaryLine("second data", SecondDataSentence(result));
  const std::vector<DataShift> shifts = DataShifts(result);
  const size_t listed = std::min(shifts.size(), kListed);
  for (size_t i = 0; i < listed; ++i) {
    absl::StrAppend(&lines, "  ",
                    Printable(result.layers[shifts[i].layer].name), "  ",
                    DataShiftText(result, shifts[i]), "\n");
  }
  if (shifts.size() > listed) {
    absl::StrAppend(&lines, "  and ", shifts.size() - listed,
                    " more (see --json)\n");
  }
  if (const std::optional<Cure> cure = CureOfDataShift(result)) {
    absl::StrAppend(&lines, CureLines(*cure));
  }
  return lines;
}

}  // namespace ns
