// Wraps the rewrites of two models as pair passes. Their errors are those of
// the functions that they call, and matches that are needed and absent.
#ifndef PASSES_REGISTRY_PAIR_PASSES_H_
#define PASSES_REGISTRY_PAIR_PASSES_H_

#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "passes/instrument/insert_logger.h"
#include "passes/instrument/pair/pair_models.h"
#include "passes/matching/graph_matcher.h"
#include "passes/pipeline/pair_pass.h"

namespace ns {

// Finds matching subgraphs: see passes/matching/graph_matcher.h. Neither graph
// changes. Unmatched ops of b get remarks.
class MatchPass final : public PairPass {
 public:
  explicit MatchPass(MatchOptions options = {})
      : options_(std::move(options)) {}
  absl::string_view name() const override { return "match"; }
  absl::StatusOr<bool> Run(MatchedModels& models,
                           PassContext& context) const override;

 private:
  const MatchOptions options_;
};

// Logs the values of matched subgraphs: see passes/instrument/add_loggers.h.
// Models that have loggers already are left as they are. Needs matches.
class AddLoggersPass final : public PairPass {
 public:
  explicit AddLoggersPass(LoggerOptions options = {})
      : options_(std::move(options)) {}
  absl::string_view name() const override { return "add-loggers"; }
  absl::StatusOr<bool> Run(MatchedModels& models,
                           PassContext& context) const override;

 private:
  const LoggerOptions options_;
};

// Puts float subgraphs beside the subgraphs of b that they match, and loggers
// on both: see passes/instrument/add_shadow_loggers.h. Models that have loggers
// already are left as they are. What cannot be shadowed gets a remark. Needs
// matches.
class AddShadowLoggersPass final : public PairPass {
 public:
  explicit AddShadowLoggersPass(LoggerOptions options = {})
      : options_(std::move(options)) {}
  absl::string_view name() const override { return "add-shadow-loggers"; }
  absl::StatusOr<bool> Run(MatchedModels& models,
                           PassContext& context) const override;

 private:
  const LoggerOptions options_;
};

// Replaces b by a model that runs both and compares matches as it runs: see
// passes/instrument/pair/pair_models.h. The matches are gone afterwards. A
// model that compares already is left as it is; any other must have been
// matched, and stays as it is where nothing matched.
class PairModelsPass final : public PairPass {
 public:
  explicit PairModelsPass(PairPlan plan) : plan_(std::move(plan)) {}
  absl::string_view name() const override { return "pair-models"; }
  absl::StatusOr<bool> Run(MatchedModels& models,
                           PassContext& context) const override;

 private:
  const PairPlan plan_;
};

}  // namespace ns

#endif  // PASSES_REGISTRY_PAIR_PASSES_H_
