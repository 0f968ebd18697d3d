// Writes the result of a sensitivity analysis as JSON.
#ifndef NS_N_SHADOWS_SENSITIVITY_JSON_H_
#define NS_N_SHADOWS_SENSITIVITY_JSON_H_

#include <string>

#include "ns/n_shadows/sensitivity.h"

namespace ns {

// One object with the schema "ns.sensitivity/1":
//
//   {"schema": "ns.sensitivity/1", "float": "f.pt", "batches": 8,
//    "candidates": ["int8 per tensor", ...],
//    "layers": [{"name": "conv1", "fqn": "conv1", "op": "aten::conv2d",
//                "candidates": [{"name": "int8 per tensor", "sqnr_db": 30.1,
//                  "normalized_l2": 0.03, "cosine": 0.999,
//                  "max_abs_error": 0.2, "mean_error": 0.01,
//                  "bias_share": 0.1, "call_sqnr_db": [30.0, 30.2]}],
//                "use": "int8 per tensor"}],
//    "budget": {"sqnr_db": 30.0, "keep_in_float": ["fc"]},
//    "skipped": [{"name": "mean", "candidate": "dynamic", "reason": "..."}],
//    "never_ran": []}
//
// "use" ("float" for none) and "budget" are there with a plan only.
// "call_sqnr_db" has one figure a call: several a batch inside a loop.
// "keep_in_float" has the layers without an integer candidate in "use".
std::string SensitivityJson(const SensitivityReport& report);

}  // namespace ns

#endif  // NS_N_SHADOWS_SENSITIVITY_JSON_H_
