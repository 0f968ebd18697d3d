// The numeric suite as functions of two models, under the reference's names.
#ifndef NS_NUMERIC_SUITE_H_
#define NS_NUMERIC_SUITE_H_

#include <string>

#include "absl/status/statusor.h"
#include "ir/model_graph.h"
#include "passes/extraction/results.h"
#include "passes/logging/add_loggers.h"
#include "passes/matching/graph_matcher.h"

namespace ns {

// The weights of both models, layer by layer (reference: extract_weights).
absl::StatusOr<Results> ExtractWeights(const std::string& name_a,
                                       const ModelGraph& a,
                                       const std::string& name_b,
                                       const ModelGraph& b,
                                       const MatchOptions& options = {});

struct LoggedModels {
  ModelGraph a;
  ModelGraph b;
};

// Copies of both models with a logger on every matched subgraph (reference:
// add_loggers). Run them, then call ExtractLoggerInfo on their modules, and
// ExtendLoggerResultsWithComparison (ns/comparisons.h) on what it returns.
absl::StatusOr<LoggedModels> AddLoggers(const std::string& name_a,
                                        const ModelGraph& a,
                                        const std::string& name_b,
                                        const ModelGraph& b,
                                        const LoggerOptions& loggers = {},
                                        const MatchOptions& options = {});

}  // namespace ns

#endif  // NS_NUMERIC_SUITE_H_
