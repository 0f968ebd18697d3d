// The numeric suite as functions of two models, under the names that PyTorch's
// FX suite has for them.
#ifndef NS_SUITE_NUMERIC_SUITE_H_
#define NS_SUITE_NUMERIC_SUITE_H_

#include <torch/csrc/jit/api/module.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"
#include "passes/extraction/extract_logger_info.h"
#include "passes/extraction/extract_weights.h"
#include "passes/extraction/results.h"
#include "passes/instrument/add_loggers.h"
#include "passes/instrument/add_shadow_loggers.h"
#include "passes/matching/graph_matcher.h"

namespace ns {

// Returns the weights of both models, layer by layer (PyTorch:
// extract_weights). Errors: those of MatchSubgraphs; weights that cannot be
// read.
absl::StatusOr<Results> ExtractWeights(
    const std::string& name_a, const ModelGraph& a, const std::string& name_b,
    const ModelGraph& b, const MatchOptions& options = {},
    const ExtractWeightsOptions& extract_options = {});

struct LoggedModels {
  ModelGraph a;
  ModelGraph b;
};

// Copies both models and puts a logger on every matched subgraph (PyTorch:
// add_loggers). Run them, then call ExtractLoggerInfo on their modules, and
// ExtendLoggerResultsWithComparison (ns/suite/comparisons.h) on what it
// returns. Errors: those of MatchSubgraphs; what the logger factory returns, or
// a logger without a method `forward` of one tensor.
absl::StatusOr<LoggedModels> AddLoggers(const std::string& name_a,
                                        const ModelGraph& a,
                                        const std::string& name_b,
                                        const ModelGraph& b,
                                        const LoggerOptions& loggers = {},
                                        const MatchOptions& options = {});

struct ShadowModel {
  ModelGraph model;
  std::vector<NotShadowedMatch> not_shadowed;
};

// Copies `b` and lets each matched subgraph of `a` shadow its counterpart
// there, with loggers on both (PyTorch: add_shadow_loggers; see
// passes/instrument/add_shadow_loggers.h). Run it, then call
// ExtractShadowLoggerInfo on its module. Errors are as those of AddLoggers.
absl::StatusOr<ShadowModel> AddShadowLoggers(const std::string& name_a,
                                             const ModelGraph& a,
                                             const std::string& name_b,
                                             const ModelGraph& b,
                                             const LoggerOptions& loggers = {},
                                             const MatchOptions& options = {});

// Returns what the loggers of a shadow model have gathered (PyTorch:
// extract_shadow_logger_info): ExtractLoggerInfo of the one module, with the
// same errors.
absl::StatusOr<Results> ExtractShadowLoggerInfo(
    const torch::jit::Module& module,
    const ExtractLoggerInfoOptions& options = {});

}  // namespace ns

#endif  // NS_SUITE_NUMERIC_SUITE_H_
