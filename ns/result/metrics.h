// The table of error figures. Its rows decide which figures are in JSON, in CSV
// and in the JSON of `ns sensitivity`, and which names ComparisonByMetric
// (comparisons.h) takes. The table that `ns compare` prints has the SQNR alone.
#ifndef NS_RESULT_METRICS_H_
#define NS_RESULT_METRICS_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ns/result/comparison_result.h"
#include "passes/runtime/statistics/pair_statistics.h"

namespace ns {

struct Metric {
  // The name of the field in JSON and of the column in CSV: "sqnr_db".
  absl::string_view name;
  // "dB"; "value" for the unit of the compared tensors; empty for a ratio.
  absl::string_view unit;
  // Which numbers are good ones.
  enum class Better { kHigher, kLower, kNearZero };
  Better better;
  // Where the figure is in ErrorFigures, and the function that computes it.
  double ErrorFigures::*figure;
  double (PairStatistics::*value)() const;
};

// All rows, in the order in which outputs show them. They live as long as the
// process.
absl::Span<const Metric> Metrics();

// Computes all figures of a pair of tensors from what ComparePair
// (pair_statistics.h) has summed up of it, or of several pairs, merged.
ErrorFigures FiguresOf(const PairStatistics& statistics);

}  // namespace ns

#endif  // NS_RESULT_METRICS_H_
