// Shows the result of a sensitivity analysis as a table for terminals.
#ifndef NS_N_SHADOWS_SENSITIVITY_TABLE_H_
#define NS_N_SHADOWS_SENSITIVITY_TABLE_H_

#include <string>

#include "ns/n_shadows/sensitivity.h"
#include "ns/report/table/table_report.h"

namespace ns {

// Returns a table with a row for each layer: its name, its op, the SQNR in dB
// of each candidate ("-" for one that the layer does not have, or that never
// ran) and, with a plan, what the plan uses (UseOf). Below it come the numbers
// of layers and batches; with a plan, how many layers use what, and which stay
// in float; layers that no batch reached; and candidates that were not tried,
// with the reason.
//
// Rows are in order of execution. With TableOptions::sort_by_error they are
// sorted by the best SQNR of the layer's integer candidates (those for which
// IsFloatCandidate is false), lowest first. A best SQNR of nan comes first.
// Layers without such a candidate come last.
// Of `options`, `color`, `sort_by_error`, `top` and `width` are used.
std::string SensitivityTable(const SensitivityReport& report,
                             const TableOptions& options);

}  // namespace ns

#endif  // NS_N_SHADOWS_SENSITIVITY_TABLE_H_
