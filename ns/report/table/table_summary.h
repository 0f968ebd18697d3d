// Writes the lines below a table.
#ifndef NS_REPORT_TABLE_TABLE_SUMMARY_H_
#define NS_REPORT_TABLE_TABLE_SUMMARY_H_

#include <string>

#include "ns/result/comparison_result.h"

namespace ns {

// Says how many layers were matched, what stayed unmatched and why, and which
// layers have an unpaired input (LayerComparison::unpaired_input).
std::string MatchSummary(const ComparisonResult& result);

// Says, as far as `result` has it and in this order:
//
//  * how many layers were matched, which samples were compared, the lowest SQNR
//    of the outputs, how far the models agree on classes, which layers the
//    error of the outputs comes from, and the lowest SQNR of each figure;
//  * with activations and shadows, the WorstOffender, whether its error is
//  mostly a shift or a few outliers, its worst channels,
//    and the first fall that no layer explains (ns/findings/error_breakdown.h);
//    with activations alone, the worst channels of the lowest one;
//  * which layer is to blame and why (ns/findings/verdict.h), and what was
//    measured to gain (ns/report/table/gain_summary.h);
//  * the five layers that clip most (ns/findings/saturation.h), the layers that
//    saturate on the processor that is emulated
//    (ns/report/table/emulation_summary.h), and what was left out and why;
//  * the scores and the accuracy (ns/report/table/accuracy_text.h), what a
//    second data set shows (ns/report/table/second_data_summary.h), the limits,
//    and the comparison with a baseline (ns/findings/limits/limit_text.h).
std::string FigureSummary(const ComparisonResult& result);

}  // namespace ns

#endif  // NS_REPORT_TABLE_TABLE_SUMMARY_H_
