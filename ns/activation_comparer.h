// Runs two instrumented models batch by batch and pools what differs.
#ifndef NS_ACTIVATION_COMPARER_H_
#define NS_ACTIVATION_COMPARER_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/model_graph.h"
#include "ns/batches.h"
#include "ns/comparison_result.h"
#include "ns/pooled_comparison.h"
#include "passes/logging/add_shadow_loggers.h"
#include "passes/matching/graph_matcher.h"
#include "passes/runtime/output_logger.h"

namespace ns {

struct ActivationComparerOptions {
  // Matched outputs, each model on its own values.
  bool activations = true;
  // Outputs of the float subgraphs on the quantized model's values.
  bool shadows = false;
};

// Adds loggers to the two models that it is given, which it does not own, and
// empties the loggers after every batch.
class ActivationComparer {
 public:
  // `matches` is of these two graphs. All three must outlive the comparer.
  static absl::StatusOr<ActivationComparer> Create(
      ModelGraph& float_model, ModelGraph& quantized_model,
      const MatchResult& matches,
      const ActivationComparerOptions& options = {});

  // Runs the models on `batch` and adds to the statistics. The float model runs
  // for activations only.
  absl::Status Run(const Batch& batch);

  // The figures of match `index`, over all batches so far; absent when they
  // were not asked for, or no batch came by in both models.
  std::optional<ActivationComparison> Activation(size_t index) const;
  std::optional<ActivationComparison> Shadow(size_t index) const;

  // Matches that cannot be shadowed; empty when shadows were not asked for.
  const std::vector<NotShadowedMatch>& not_shadowed() const {
    return not_shadowed_;
  }

  // One line for each match whose values could not be compared.
  std::vector<std::string> Warnings() const;

 private:
  using LoggerPtr = c10::intrusive_ptr<OutputLogger>;
  struct Point {
    LoggerPtr float_logger;
    LoggerPtr quantized_logger;
    LoggerPtr shadow_logger;
    PooledComparison activation;
    PooledComparison shadow;
  };

  ActivationComparer(ModelGraph& float_model, ModelGraph& quantized_model)
      : float_model_(&float_model), quantized_model_(&quantized_model) {}

  absl::Status AddLoggersFor(const MatchResult& matches);
  absl::Status AddShadowsFor(const MatchResult& matches);

  ModelGraph* float_model_;
  ModelGraph* quantized_model_;
  ActivationComparerOptions options_;
  // One for each match.
  std::vector<Point> points_;
  std::vector<NotShadowedMatch> not_shadowed_;
};

}  // namespace ns

#endif  // NS_ACTIVATION_COMPARER_H_
