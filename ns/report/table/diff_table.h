// Prints how two comparisons differ as a table for a terminal.
#ifndef NS_REPORT_TABLE_DIFF_TABLE_H_
#define NS_REPORT_TABLE_DIFF_TABLE_H_

#include <string>
#include <vector>

#include "ns/findings/limits/comparison_diff.h"
#include "ns/report/table/table_report.h"
#include "ns/result/limit_check.h"

namespace ns {

// Returns a row for each figure that differs by 0.05 dB or more, so that it
// shows: the layer, which figure, its SQNR in both comparisons and the change
// in dB, "+" where the later one is better. Rows are in the order of the later
// comparison, or with `sort_by_error` the greatest loss first. Below come
// counts, smaller changes in one line, figures that only one of them has, new
// and vanished layers, other numbers of unmatched ops or batches, and `checks`,
// limits that were held against the changes. Of equal comparisons it says that
// they are.
std::string ToDiffTable(const ComparisonDiff& diff,
                        const std::vector<LimitCheck>& checks,
                        const TableOptions& options);

}  // namespace ns

#endif  // NS_REPORT_TABLE_DIFF_TABLE_H_
