// Counts and lists names below a table.
#ifndef NS_REPORT_TABLE_NAME_LIST_H_
#define NS_REPORT_TABLE_NAME_LIST_H_

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace ns {

// Returns "1 layer", "2 layers" for the noun "layer".
template <typename Count>
std::string Counted(Count count, absl::string_view noun) {
  return absl::StrCat(count, " ", noun, count == 1 ? "" : "s");
}

// Returns an empty line, "2 new, only in B:" for `what` "new, only in B", and a
// line for each name, with control characters escaped. Empty without names.
std::string NameList(absl::string_view what,
                     const std::vector<std::string>& names);

}  // namespace ns

#endif  // NS_REPORT_TABLE_NAME_LIST_H_
