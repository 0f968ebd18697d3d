// Writes the lines below a table.
#ifndef NS_REPORT_TABLE_SUMMARY_H_
#define NS_REPORT_TABLE_SUMMARY_H_

#include <string>

#include "ns/suite/comparison_result.h"

namespace ns {

// Says how many layers were matched, and what stayed unmatched and why.
std::string MatchSummary(const ComparisonResult& result);

// Says how many layers were matched and the lowest of each figure. With
// activations and shadows it also names the layer that does most harm by itself
// and the first fall that no layer explains (ns/report/error_breakdown.h); the
// worst channels of the former, or without shadows of the lowest activation, if
// there are any. Then comes which layer is to blame and why, where that is
// known (ns/report/verdict.h), and then lists: layers that saturate (the worst
// five), those that do so on the processor that is emulated
// (ns/report/emulation_summary.h), and what was left out and why. At the end
// stand the accuracy (ns/report/accuracy_text.h) and the limits
// (ns/report/limit_text.h).
std::string FigureSummary(const ComparisonResult& result);

}  // namespace ns

#endif  // NS_REPORT_TABLE_SUMMARY_H_
