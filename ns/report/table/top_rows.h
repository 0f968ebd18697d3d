// Leaves out all but the first rows of a table.
#ifndef NS_REPORT_TABLE_TOP_ROWS_H_
#define NS_REPORT_TABLE_TOP_ROWS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace ns {

// Removes all but the first `top` of `rows`, or none where `top` is 0. Returns
// the line that says how many are left out, "3 more layers, which --top leaves
// out", or nothing where none is. `noun` is what a row is: "layer".
template <typename Row>
std::string KeepTop(size_t top, absl::string_view noun,
                    std::vector<Row>& rows) {
  if (top == 0 || rows.size() <= top) {
    return "";
  }
  const size_t left_out = rows.size() - top;
  rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(top), rows.end());
  return absl::StrCat(left_out, " more ", noun, left_out == 1 ? "" : "s",
                      ", which --top leaves out\n");
}

}  // namespace ns

#endif  // NS_REPORT_TABLE_TOP_ROWS_H_
