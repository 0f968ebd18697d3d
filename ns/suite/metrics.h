// The error figures that all outputs show, one row each.
#ifndef NS_SUITE_METRICS_H_
#define NS_SUITE_METRICS_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ns/suite/comparison_result.h"
#include "passes/runtime/statistics/pair_statistics.h"

namespace ns {

struct Metric {
  // Of the field in JSON and the column in CSV: "sqnr_db".
  absl::string_view name;
  // "dB"; "value" for that of the compared tensors; empty for a ratio.
  absl::string_view unit;
  enum class Better { kHigher, kLower, kNearZero };
  Better better;
  // Where ErrorFigures has it, and how it follows from sums over elements.
  double ErrorFigures::*figure;
  double (PairStatistics::*value)() const;
};

// In the order in which they are written.
absl::Span<const Metric> Metrics();

// All of them.
ErrorFigures FiguresOf(const PairStatistics& statistics);

}  // namespace ns

#endif  // NS_SUITE_METRICS_H_
