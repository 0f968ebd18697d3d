// Prints text in columns, for terminals.
#ifndef NS_REPORT_TEXT_TABLE_H_
#define NS_REPORT_TEXT_TABLE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace ns {

struct Cell {
  std::string text;
  absl::string_view color;  // The ANSI escape of the colour; empty for none.
};

// Says when a column is shortened as rows are too wide.
enum class Shrink { kNever, kFirst, kLater };

struct Column {
  // Two lines of heading, then a cell for each row.
  std::vector<Cell> cells;
  bool align_right = false;
  Shrink shrink = Shrink::kNever;
};

// Returns the width of a row: its columns and the gaps between them.
size_t Width(const std::vector<size_t>& widths);

// Returns widths that fit into `limit` (0 for none), shrinking the widest
// first, or the least widths when nothing fits.
std::vector<size_t> FitWidths(const std::vector<Column>& columns, size_t limit);

// Returns the lines, with a rule below the headings. Cells wider than their
// column are shortened in the middle; no line ends in blanks.
std::string Render(const std::vector<Column>& columns,
                   const std::vector<size_t>& widths, bool color);

}  // namespace ns

#endif  // NS_REPORT_TEXT_TABLE_H_
