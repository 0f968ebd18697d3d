// Reports how much of a model is quantized, and why the rest is not.
#ifndef NS_REPORT_COVERAGE_REPORT_H_
#define NS_REPORT_COVERAGE_REPORT_H_

#include <optional>
#include <string>

#include "ns/report/json_writer.h"
#include "ns/suite/comparison_result.h"

namespace ns {

// Returns the share, 0 to 1, of the multiply-adds that have int8 weights:
// those of layers that run in int8 and of dynamic ones. Those of a layer are
// its outputs of one batch times the weights that make each of them: n outputs
// in channels of c, and weights of w elements, make n w / c. Only layers with
// weights and activations count; embeddings, norms and transposed convolutions
// do not. Absent where nothing counts.
std::optional<double> Int8MacsShare(const ComparisonResult& result);

// Writes the member "coverage": an object of "int8_layers", "float_layers",
// "int8_macs_share" (absent where it is not known), "stayed_float" (objects of
// "name", "op" and "reason"), "cancelling_pairs" ("dequantize", "quantize") and
// "packs_at_run_time" (names). Writes nothing where there is no coverage.
void WriteCoverage(JsonWriter& json, const ComparisonResult& result);

// Returns a blank line and what WriteCoverage writes, as lines for a terminal.
std::string CoverageText(const ComparisonResult& result);

}  // namespace ns

#endif  // NS_REPORT_COVERAGE_REPORT_H_
