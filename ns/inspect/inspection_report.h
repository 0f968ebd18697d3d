// Writes what InspectModel found, as a table and as JSON.
#ifndef NS_INSPECT_INSPECTION_REPORT_H_
#define NS_INSPECT_INSPECTION_REPORT_H_

#include <string>

#include "ns/inspect/inspect_model.h"
#include "ns/report/table/table_report.h"

namespace ns {

// Returns lines on the file and its methods, a row for each layer, and lines on
// what all layers have in common. Of `options`, `color` and `width` are used.
// Control characters in names are escaped.
std::string InspectionTable(const ModelInspection& inspection,
                            const TableOptions& options);

// Returns the inspection as JSON:
//
//   {"schema": "ns.inspection/1", "path": "q.pt", "kind": "static int8",
//    "methods": [{"name": "forward", "arguments": ["x: Tensor"], ...}],
//    "layers": [{"name": "fc", "op": "quantized::linear", "runs_in": "int8",
//      "weights": [{"name": "weight", "shape": [3, 4], "dtype": "qint8",
//                   "scale": {"lowest": 0.01, ...}}],
//      "output": {"lowest": 0.1, "highest": 0.1, "zero_point": 64, ...},
//      "output_dtype": "quint8", "scale_group": 1}], ...}
std::string InspectionJson(const ModelInspection& inspection);

}  // namespace ns

#endif  // NS_INSPECT_INSPECTION_REPORT_H_
