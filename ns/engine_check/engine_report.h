// Writes what CheckEngine found, as a table and as JSON.
#ifndef NS_ENGINE_CHECK_ENGINE_REPORT_H_
#define NS_ENGINE_CHECK_ENGINE_REPORT_H_

#include <string>

#include "ns/engine_check/check_engine.h"
#include "ns/report/table/table_report.h"

namespace ns {

// Returns what was called, a row for each fault, ops that the engine does not
// have, and the reproductions. Of `options`, `color` and `width` are used.
std::string EngineTable(const EngineCheck& check, const TableOptions& options);

// Returns the check as JSON:
//
//   {"schema": "ns.engine-check/1", "engine": "qnnpack", "libtorch": "1.13.1",
//    "processor": "avx512_vnni", "threads": 2, "ops": 40, "cases": 180,
//    "refused_cases": 12, "refused_ops": ["quantized::conv3d"],
//    "faults": [{"op": "aten::hardtanh", "fault": "wrong", "faulty_cases": 1,
//      "cases": 3, "steps": 50, "share": 0.9, "traits": ["channels-last"],
//      "needs_threads": false, "avoided": false, "reproduction": "..."}]}
std::string EngineJson(const EngineCheck& check);

}  // namespace ns

#endif  // NS_ENGINE_CHECK_ENGINE_REPORT_H_
