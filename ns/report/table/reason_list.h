// Lists what was left out and why, for the lines below a table.
#ifndef NS_REPORT_TABLE_REASON_LIST_H_
#define NS_REPORT_TABLE_REASON_LIST_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace ns {

struct Reasoned {
  // The layer or op, as the list shows it: "head.log (log)".
  std::string what;
  std::string reason;
};

// Returns text such as this, which begins with a blank line; `kind` is
// "unmatched" here:
//
//   3 unmatched:
//     no counterpart
//       head.log (log)
//       head.exp (exp)
//     its type is not matched
//       fc.drop (dropout)
//
// Reasons come in the order of their first item. After 20 items, a last line
// tells how many more there are, and to see --json. Control characters in the
// items are escaped. Returns "" for no items.
std::string ReasonList(const std::vector<Reasoned>& items,
                       absl::string_view kind);

}  // namespace ns

#endif  // NS_REPORT_TABLE_REASON_LIST_H_
