// Arranges boxes in rows: which row each is in, and where in it.
#ifndef NS_REPORT_GRAPH_LAYOUT_ROWS_H_
#define NS_REPORT_GRAPH_LAYOUT_ROWS_H_

#include <cstddef>
#include <utility>
#include <vector>

#include "absl/types/span.h"

namespace ns {

// The boxes of one module, and the edges among them.
struct RowsInput {
  // Widths in px.
  std::vector<int> widths;
  // Pairs of boxes; those that do not go from a smaller index to a larger one
  // are ignored. They may be repeated.
  std::vector<std::pair<size_t, size_t>> edges;
  // The least distance of two boxes in px.
  int gap = 0;
  // The most boxes in a row.
  size_t most = 8;
};

struct RowsOutput {
  std::vector<int> rows;   // by box, from 0
  std::vector<int> lefts;  // x of the left side by box; the least is 0
  int row_count = 0;
  int width = 0;
};

// Returns where the boxes stand. Each is below all that it takes from; boxes of
// a row do not overlap. Time is linear in boxes and edges, but for sorting.
RowsOutput ArrangeInRows(const RowsInput& input);

// Returns `wanted`, positions from left to right, moved as little as possible
// (least squares) so that each is at least `distances[i]` right of the one
// before it, for i from 1 on.
std::vector<double> SpreadOut(absl::Span<const double> wanted,
                              absl::Span<const double> distances);

}  // namespace ns

#endif  // NS_REPORT_GRAPH_LAYOUT_ROWS_H_
