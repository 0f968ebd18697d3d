// Prints measurements as text.
#ifndef TOOLS_BENCH_KERNELS_TABLE_H_
#define TOOLS_BENCH_KERNELS_TABLE_H_

#include <string>
#include <vector>

#include "tools/bench/kernels/row.h"

namespace ns::bench {

// Returns the title and the names of columns. `unit` is that of the rates, with
// 1e9 of Row::rate as 1: "GOPS", "GB/s".
std::string FormatHeader(const std::string& title, const std::string& unit);

// Returns the line of a row, and a second line where it has a mismatch.
std::string FormatRow(const Row& row);

// Returns what stands below the rows of a section: the geometric mean and the
// lowest of the ratios to each peer; and, where a row has a count above 1, as
// layers of a model have, the time of all layers together, and the ratio of
// that to each peer's. Empty without rows.
std::string FormatSummary(const std::vector<Row>& rows);

}  // namespace ns::bench

#endif  // TOOLS_BENCH_KERNELS_TABLE_H_
