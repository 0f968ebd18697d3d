// Writes the result of a sensitivity analysis as JSON.
#ifndef NS_N_SHADOWS_SENSITIVITY_JSON_H_
#define NS_N_SHADOWS_SENSITIVITY_JSON_H_

#include <string>

#include "ns/n_shadows/sensitivity.h"

namespace ns {

// Returns one object with the schema "ns.sensitivity/1":
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
// "use" and "budget" are there only where `report` has a plan. "use" is the
// candidate that the plan chose, or "float". "keep_in_float" lists the layers
// whose "use" is "float" or in half precision. "call_sqnr_db" has one figure
// for each call: several for a batch inside a loop. Infinite figures and nan
// are the strings "inf", "-inf" and "nan". A candidate that never ran is in its
// layer with an empty "call_sqnr_db"; a layer none of whose candidates ran is
// in "never_ran", by its name.
std::string SensitivityJson(const SensitivityReport& report);

}  // namespace ns

#endif  // NS_N_SHADOWS_SENSITIVITY_JSON_H_
