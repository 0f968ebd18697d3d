// Writes what a search for a recipe has found as JSON.
#ifndef NS_SEARCH_SEARCH_JSON_H_
#define NS_SEARCH_SEARCH_JSON_H_

#include <string>

#include "ns/search/search_result.h"

namespace ns {

// One object with the schema "ns.search/1":
//
//   {"schema": "ns.search/1", "float": "f.pt", "out": "q.pt", "batches": 8,
//    "budget": {"sqnr_db": 30.0}, "candidates": ["default"],
//    "layers": [{"name": "conv1", "op": "aten::conv2d", "choice": "default",
//                "noise_share": 0.1, "time_us": 120.0,
//                "choices": [{"name": "float", "time_us": 310.0},
//                            {"name": "default", "time_us": 120.0}]}],
//    "rest": {"noise_share": 0.1, "time_us": 90.0},
//    "skipped": [{"name": "conv1", "candidate": "dynamic", "reason": "..."}],
//    "pareto": [{"sqnr_db": 25.1, "time_us": 700.0, "int8_layers": 14,
//                "measured": false}],
//    "verified": [{"predicted_db": 30.4, "measured_db": 30.1,
//                  "predicted_us": 790.0, "keeps_budget": true}],
//    "predicted": {"sqnr_db": 30.4, "time_us": 790.0},
//    "measured": {"sqnr_db": 30.1, "time_us": 812.0, "float_time_us": 2130.0,
//                 "batches": 8},
//    "passes": {"float": 2.0, "quantized": 1.0},
//    "warnings": []}
//
// The members are those of SearchResult and its parts (search_result.h).
// "passes" is how often the models ran on all batches; times are of one batch.
// With labels, "budget" has "max_drop" instead of "sqnr_db", in percentage
// points of top-1, and "measured" and the entries of "verified" have "top1",
// too: {"samples", "float_correct", "quantized_correct", "lost", "won", "drop",
// "p_value"}. `result.verified` must not be empty.
std::string SearchJson(const SearchResult& result,
                       const std::string& float_path,
                       const std::string& out_path);

}  // namespace ns

#endif  // NS_SEARCH_SEARCH_JSON_H_
