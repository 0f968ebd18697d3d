// Prints text in columns, for terminals.
#ifndef NS_REPORT_TABLE_TEXT_TABLE_H_
#define NS_REPORT_TABLE_TEXT_TABLE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace ns {

struct Cell {
  std::string text;
  // The ANSI escape of the colour, which outlives the cell; empty for none.
  absl::string_view color;
};

// Whether a column may be shortened when rows are too wide. The widest column
// is first; one of kFirst counts as 8 characters wider than it is.
enum class Shrink { kNever, kFirst, kLater };

struct Column {
  // Two lines of heading, then a cell for each row: as many in all columns of a
  // table, which has one or more.
  std::vector<Cell> cells;
  bool align_right = false;
  Shrink shrink = Shrink::kNever;
};

// Returns the width of a row: its columns and the gaps between them.
size_t Width(const std::vector<size_t>& widths);

// Returns widths that fit into `limit` (0 for none), or the least widths when
// nothing fits. The least width of a column is 10 characters, or as many more
// as cells need that differ, to differ when they are shortened. No column is
// wider than 200 characters.
std::vector<size_t> FitWidths(const std::vector<Column>& columns, size_t limit);

// Returns the lines, with a rule below the headings. Cells wider than their
// column are shortened in the middle; no line ends in blanks.
std::string Render(const std::vector<Column>& columns,
                   const std::vector<size_t>& widths, bool color);

}  // namespace ns

#endif  // NS_REPORT_TABLE_TEXT_TABLE_H_
