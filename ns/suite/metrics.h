// The table of error figures: one row each, from which JSON, CSV, the JSON of
// `ns sensitivity` and ComparisonByMetric follow. The table of `ns compare`
// shows the SQNR alone.
#ifndef NS_SUITE_METRICS_H_
#define NS_SUITE_METRICS_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ns/suite/comparison_result.h"
#include "passes/runtime/statistics/pair_statistics.h"

namespace ns {

struct Metric {
  // The name of the field in JSON and of the column in CSV: "sqnr_db".
  absl::string_view name;
  // "dB"; "value" for the unit of the compared tensors; empty for a ratio.
  absl::string_view unit;
  enum class Better { kHigher, kLower, kNearZero };
  Better better;
  // The field of ErrorFigures, and how it follows from sums over elements.
  double ErrorFigures::*figure;
  double (PairStatistics::*value)() const;
};

// All rows, in the order in which outputs show them.
absl::Span<const Metric> Metrics();

// Computes all figures from sums over elements.
ErrorFigures FiguresOf(const PairStatistics& statistics);

}  // namespace ns

#endif  // NS_SUITE_METRICS_H_
