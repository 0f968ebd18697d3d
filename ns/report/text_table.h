// Text in columns, for terminals.
#ifndef NS_REPORT_TEXT_TABLE_H_
#define NS_REPORT_TEXT_TABLE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace ns {

struct Cell {
  std::string text;
  absl::string_view color;  // Empty for none.
};

// How a column takes part when rows are too wide.
enum class Shrink { kNever, kFirst, kLater };

struct Column {
  // Two lines of heading, then a cell for each row.
  std::vector<Cell> cells;
  bool align_right = false;
  Shrink shrink = Shrink::kNever;
};

// Width of a row: its columns and the gaps between them.
size_t Width(const std::vector<size_t>& widths);

// Widths that fit into `limit` (0 for none), the widest giving way first, or
// the least when nothing fits.
std::vector<size_t> FitWidths(const std::vector<Column>& columns, size_t limit);

// The lines, with a rule below the headings. Cells wider than their column are
// shortened in the middle; no line ends in blanks.
std::string Render(const std::vector<Column>& columns,
                   const std::vector<size_t>& widths, bool color);

}  // namespace ns

#endif  // NS_REPORT_TEXT_TABLE_H_
