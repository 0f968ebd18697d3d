#include "ns/result/metrics.h"

namespace ns {
namespace {

using Better = Metric::Better;

constexpr Metric kMetrics[] = {
    {"sqnr_db", "dB", Better::kHigher, &ErrorFigures::sqnr_db,
     &PairStatistics::SqnrDb},
    {"normalized_l2", "", Better::kLower, &ErrorFigures::normalized_l2,
     &PairStatistics::NormalizedL2},
    {"cosine", "", Better::kHigher, &ErrorFigures::cosine,
     &PairStatistics::Cosine},
    {"max_abs_error", "value", Better::kLower, &ErrorFigures::max_abs_error,
     &PairStatistics::MaxAbsError},
    {"mean_error", "value", Better::kNearZero, &ErrorFigures::mean_error,
     &PairStatistics::MeanError},
    {"bias_share", "", Better::kLower, &ErrorFigures::bias_share,
     &PairStatistics::BiasShare},
};

}  // namespace

absl::Span<const Metric> Metrics() { return kMetrics; }

ErrorFigures FiguresOf(const PairStatistics& statistics) {
  ErrorFigures figures;
  for (const Metric& metric : kMetrics) {
    figures.*metric.figure = (statistics.*metric.value)();
  }
  return figures;
}

}  // namespace ns
