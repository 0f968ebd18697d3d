// Lists what was left out and why, for the lines below a table.
#ifndef NS_REPORT_REASON_LIST_H_
#define NS_REPORT_REASON_LIST_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace ns {

struct Reasoned {
  // The layer or op, as the list shows it: "head.log (log)".
  std::string what;
  std::string reason;
};

// Returns a blank line and "3 unmatched:", then the items below their reasons.
// Items with one reason come together; of those beyond the first 20 only the
// number is told. `kind` is what the items are: "unmatched". Control characters
// are escaped. Returns "" for no items.
std::string ReasonList(const std::vector<Reasoned>& items,
                       absl::string_view kind);

}  // namespace ns

#endif  // NS_REPORT_REASON_LIST_H_
