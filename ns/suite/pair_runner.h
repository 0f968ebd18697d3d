// Runs two models in step, batch by batch, and gathers where they differ.
#ifndef NS_SUITE_PAIR_RUNNER_H_
#define NS_SUITE_PAIR_RUNNER_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/model_graph.h"
#include "ns/batches/batch.h"
#include "ns/suite/activation_files.h"
#include "ns/suite/activation_saver.h"
#include "ns/suite/comparison_result.h"
#include "ns/suite/user_figures.h"
#include "ns/suite/user_metrics.h"
#include "passes/instrument/pair_models.h"
#include "passes/matching/graph_matcher.h"
#include "passes/ops/op_io_types.h"

namespace ns {

struct PairRunnerOptions {
  // Matched outputs, each model on its own values.
  bool activations = true;
  // Outputs of the float subgraphs on the quantized model's values.
  bool shadows = false;
  // As PairPlan::io_types.
  OpIoTypes io_types = {};
  // As PairPlan::not_shadowed.
  std::map<size_t, std::string> not_shadowed;
  // Outputs of reference kernels on the quantized model's values.
  bool kernels = false;
  // Float convolutions run as they stand, not folded and fused.
  bool exact = false;
  // As PairPlan::twin.
  decltype(PairPlan::twin) twin;
  // How many of the worst output channels to name at each match; 0 for no
  // figures of channels.
  int64_t worst_channels = 0;
  // Whether to tell how large the largest errors are.
  bool outliers = false;
  // Metrics of the user, computed of what is compared as activation, shadow and
  // kernel; not owned; null for none.
  const std::vector<UserMetric>* user_metrics = nullptr;
  // Where values are kept; not owned; null for nowhere.
  ActivationFiles* files = nullptr;
};

// Memory holds what the two models need and statistics, whatever the number of
// batches.
class PairRunner {
 public:
  // `matches` is of these two models. Their graphs are not changed; attributes
  // that a model writes to are. All three must outlive the runner.
  static absl::StatusOr<PairRunner> Create(
      const ModelGraph& float_model, const ModelGraph& quantized_model,
      const MatchResult& matches, const PairRunnerOptions& options = {});

  // Runs both models on `batch` and adds to the statistics. Error: a batch that
  // does not fit a model, or at which it fails: the message says which model; a
  // metric of the user that fails. Or a shadow fails: see failed_shadow().
  absl::Status Run(const Batch& batch);

  // The match whose shadow failed in the last Run, and why: its float subgraph
  // does not take the quantized model's values. All of its batches are to be
  // run again without it.
  struct FailedShadow {
    size_t match;
    std::string reason;
  };
  const std::optional<FailedShadow>& failed_shadow() const {
    return failed_shadow_;
  }

  // The figures of match `index`, over all batches so far; absent when they
  // were not asked for, or were compared in no batch.
  std::optional<ActivationComparison> Activation(size_t index) const;
  std::optional<ActivationComparison> Shadow(size_t index) const;
  std::optional<ErrorFigures> Inherited(size_t index) const;
  std::optional<ActivationComparison> Kernel(size_t index) const;
  std::optional<ErrorFigures> Twin(size_t index) const;

  // The other outputs of match `index`, those of which something was compared.
  std::vector<OutputComparison> OtherOutputs(size_t index) const;

  // Matches that cannot be shadowed; empty when shadows were not asked for.
  const std::vector<NotShadowedMatch>& not_shadowed() const {
    return pair_.not_shadowed;
  }

  // Quantized ops without a reference kernel; empty when kernels were not asked
  // for.
  const std::vector<NotShadowedMatch>& no_reference() const {
    return pair_.no_reference;
  }

  // One line for each match whose values could not be compared.
  std::vector<std::string> Warnings() const;

 private:
  PairRunner(const ModelGraph& float_model, const ModelGraph& quantized_model,
             const MatchResult& matches, const PairRunnerOptions& options,
             PairedModels pair);

  void ComputeUserFigures();
  // Says which of the models fails by itself, and why; OK when neither does.
  absl::Status Blame(const std::vector<c10::IValue>& of_float,
                     const std::vector<c10::IValue>& of_quantized) const;
  // The match whose shadow has begun last, and was not compared.
  std::optional<size_t> RunningShadow() const;
  std::optional<ActivationComparison> Result(
      const PairComparerPtr& comparer) const;
  // The result of `shadow`, whose value `activation` has compared, too.
  std::optional<ActivationComparison> ShadowResult(
      const PairComparerPtr& shadow, const PairComparerPtr& activation) const;
  std::optional<ErrorFigures> FiguresAlone(
      const PairComparerPtr& comparer) const;

  const ModelGraph* float_model_;
  const ModelGraph* quantized_model_;
  const MatchResult* matches_;
  PairRunnerOptions options_;
  PairedModels pair_;
  std::optional<FailedShadow> failed_shadow_;
  // Null where nothing is kept.
  std::unique_ptr<ActivationSaver> saver_;
  // Where there are metrics of the user; comparers hold the addresses.
  std::map<const PairComparer*, std::unique_ptr<UserFigures>> user_figures_;
};

}  // namespace ns

#endif  // NS_SUITE_PAIR_RUNNER_H_
