// Reports how much of a model is quantized, and why the rest is not.
#ifndef NS_REPORT_TABLE_COVERAGE_REPORT_H_
#define NS_REPORT_TABLE_COVERAGE_REPORT_H_

#include <cstdint>
#include <optional>
#include <string>

#include "ns/result/comparison_result.h"
#include "ns/result/coverage.h"

namespace ns {

// Returns which share, 0 to 1, of the multiply-adds of the model is in layers
// with int8 weights: those of RunsIn::kInt8 and kInt8Weights. A layer with n
// output elements in all batches, c output channels and w weight elements has
// n * w / c multiply-adds; a transposed convolution with n input elements and c
// input channels has as many. Only layers for which weights and activations
// were compared count, and transposed convolutions where what flows in was
// compared as well. Embeddings and norms do not count. Absent where nothing
// counts.
std::optional<double> Int8MacsShare(const ComparisonResult& result);

// What is quantized, and what is not.
struct CoverageSummary {
  // How many layers have int8 weights, and how many do not. Points where values
  // are only quantized are not layers.
  int64_t int8_layers = 0;
  int64_t float_layers = 0;
  std::optional<double> int8_macs_share;  // Int8MacsShare
  Coverage coverage;
};

// Absent where result.coverage is.
std::optional<CoverageSummary> CoverageSummaryOf(
    const ComparisonResult& result);

// Returns the same as lines for a terminal, with a blank line in front. Empty
// where result.coverage is absent.
std::string CoverageText(const ComparisonResult& result);

}  // namespace ns

#endif  // NS_REPORT_TABLE_COVERAGE_REPORT_H_
