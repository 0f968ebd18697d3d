// Writes the result of a comparison as JSON.
#ifndef NS_REPORT_JSON_REPORT_H_
#define NS_REPORT_JSON_REPORT_H_

#include <string>

#include "ns/suite/comparison_result.h"

namespace ns {

// Returns one object of the schema "ns.compare/1". Keys come in a fixed order
// and layers in the order of `result`, so equal results give equal bytes.
//
// These keys are left out where they do not apply. All others are always there.
//
//  * the whole: "reference", "emulated", "processor", "engine", "files",
//    "no_reference", "not_referenced", "not_emulated", "coverage",
//    "worst_offender", "first_unexplained_fall", "verdict", "stubs", "outputs",
//    "limits", "baseline", "accuracy", "graph"
//  * "coverage": "int8_macs_share"
//  * "worst_offender", "first_unexplained_fall": "output", where the layer's
//    first output decided
//  * "verdict": "layer"
//  * a layer: "source", "runs_in", "output", "unpaired_input", "weight",
//    "has_weight_of", "bias", "qparams", "activation", "shadow", "weight_only",
//    "activation_only", "inherited", "kernel", "error", "tried_changes",
//    "outputs", "saturation"
//  * "float" and "quantized" of a layer: "fqn_inferred"
//  * "source": "float", "quantized"
//  * "error": "dominated_by"
//  * a tried change: "scale", "zero_point"
//  * "saturation": "outputs", "saturated", "share", "sqnr_db", "cost_db",
//    "shadow_sqnr_db", "shadow_cost_db"
//  * one of the "outputs" of a layer: "activation", "shadow", "inherited"
//  * a stub: "outputs"
//  * one of the "outputs" of the whole: "float_type", "quantized_type"
//  * the figures of an activation: the user's metrics, "trips", "elements",
//    "range", "non_finite" (also where all counts are 0), "codes",
//    "worst_channels", "channel_sqnr_db", "abs_error_p999", "outlier_share",
//    "histograms". Shadows, kernels, stubs and module outputs have the same.
//  * a weight: "histograms"
//  * a limit: "layer", "output", "figure", "tolerance"
//  * a node of "graph": "layer", "reason"
//
// "error" is the breakdown of ns/report/error_breakdown.h in dB; "codes" has
// the number of elements at the "lowest" and "highest" quantized value, and the
// number of quantized values that are "unused". "coverage" is that of
// ns/report/coverage_report.h, "verdict" that of ns/report/verdict.h, and
// "graph" that of ns/report/graph_json.h.
std::string ToJson(const ComparisonResult& result);

}  // namespace ns

#endif  // NS_REPORT_JSON_REPORT_H_
