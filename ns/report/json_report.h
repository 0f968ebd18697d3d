// Writes the result of a comparison as JSON.
#ifndef NS_REPORT_JSON_REPORT_H_
#define NS_REPORT_JSON_REPORT_H_

#include <string>

#include "ns/suite/comparison_result.h"

namespace ns {

// Returns one object of the schema "ns.compare/1". Keys come in a fixed order
// and layers in the order of `result`, so equal results give equal bytes.
//
// These keys are absent where they do not apply: of the whole "worst_offender",
// "first_unexplained_fall", "verdict", "coverage", "stubs", "limits",
// "baseline", "accuracy", "graph", "processor", "engine" and "files"; of the
// first two "output" (the layer's first one decided); of "verdict" "layer"; of
// a layer "source", "runs_in", "output", "weight", "bias", "has_weight_of",
// "qparams", "activation", "shadow", "weight_only", "activation_only",
// "inherited", "kernel", "outputs", "tried_changes" and "error", and
// "dominated_by" in the latter; of a stub "outputs"; of an activation "trips",
// "elements", "range", "non_finite" (all counts are 0), "codes" and
// "worst_channels"; of an activation and a weight "histograms"; of a side
// "fqn_inferred". All other keys are always there.
//
// "error" is the breakdown of ns/report/error_breakdown.h in dB; "codes" has
// the number of elements at the "lowest" and "highest" quantized value, and the
// number of quantized values that are "unused". "verdict" is that of
// ns/report/verdict.h and "graph" that of ns/report/graph_json.h.
std::string ToJson(const ComparisonResult& result);

}  // namespace ns

#endif  // NS_REPORT_JSON_REPORT_H_
