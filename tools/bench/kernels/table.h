// Measurements as text.
#ifndef TOOLS_BENCH_KERNELS_TABLE_H_
#define TOOLS_BENCH_KERNELS_TABLE_H_

#include <string>
#include <vector>

#include "tools/bench/kernels/row.h"

namespace ns::bench {

// The title and the names of columns. `unit` is of the rates: "GOPS", "GB/s".
std::string FormatHeader(const std::string& title, const std::string& unit);

std::string FormatRow(const Row& row);

// Below the rows of a section: geometric means and the lowest of the ratios;
// and, where rows have counts, the time of the model's layers, and the ratio of
// the sums.
std::string FormatSummary(const std::vector<Row>& rows);

}  // namespace ns::bench

#endif  // TOOLS_BENCH_KERNELS_TABLE_H_
