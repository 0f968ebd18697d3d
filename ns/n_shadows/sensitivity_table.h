// Shows the result of a sensitivity analysis as a table for terminals.
#ifndef NS_N_SHADOWS_SENSITIVITY_TABLE_H_
#define NS_N_SHADOWS_SENSITIVITY_TABLE_H_

#include <string>

#include "ns/n_shadows/sensitivity.h"
#include "ns/report/table_report.h"

namespace ns {

// A row for each layer: name, op, SQNR in dB of each candidate ("-" for one
// that the layer does not have), and what the plan makes of it. Below it the
// count of layers, and, with a plan, which stay in float. Rows are in order of
// execution; with TableOptions::sort_by_error, by the largest SQNR of an
// integer candidate, lowest first, those without a figure before them, and
// those without such a candidate last.
std::string SensitivityTable(const SensitivityReport& report,
                             const TableOptions& options);

}  // namespace ns

#endif  // NS_N_SHADOWS_SENSITIVITY_TABLE_H_
