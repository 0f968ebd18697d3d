// Runs two models in step, batch by batch, and gathers where they differ.
#ifndef NS_SUITE_PAIR_RUNNER_H_
#define NS_SUITE_PAIR_RUNNER_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/base/byte_stream.h"
#include "ir/model/model_graph.h"
#include "ns/batches/batch.h"
#include "ns/result/comparison_result.h"
#include "ns/saved/activation_saver.h"
#include "ns/suite/compare_options.h"
#include "ns/suite/user_figures.h"
#include "passes/instrument/pair/pair_models.h"
#include "passes/matching/graph_matcher.h"

namespace ns {

// Memory holds what the two models need and statistics, whatever the number of
// batches.
class PairRunner {
 public:
  // `matches` is of these two models. Of `options`, the members of PairPlan,
  // user_metrics, files, worst_channels and whether there is a see_outputs
  // count. The graphs of the models are not changed; attributes that a model
  // writes to are. The models, `matches` and the files must outlive the runner.
  // Error: that of PairModels, an internal one.
  static absl::StatusOr<PairRunner> Create(const ModelGraph& float_model,
                                           const ModelGraph& quantized_model,
                                           const MatchResult& matches,
                                           const CompareOptions& options = {});

  // Runs both models on `batch` and adds to the statistics. Error: a batch that
  // does not fit a model or on which a model fails (the message says which); a
  // metric of the user that fails; values that cannot be saved.
  absl::Status Run(const Batch& batch);

  // Sets the number of the batch that runs next. Without this, batches are
  // numbered from 0.
  void SetBatch(int64_t number) { batch_ = number; }

  // Returns what the models returned for the last batch, the float model first,
  // and forgets it. To be called at most once after each Run that succeeds, and
  // only with CompareOptions::see_outputs.
  std::pair<c10::IValue, c10::IValue> TakeOutputs();

  // Saves what was gathered so far, and adds it to what another runner, of the
  // same models and options, gathered from other batches: the figures are then
  // those of all batches, whichever of the two ran them. Merge fails the reader
  // for what Save cannot have written, and may throw c10::Error for it.
  void Save(ByteWriter& writer) const;
  void Merge(ByteReader& reader);

  // Sets the figures of all FigureKinds (ns/result/figure_kinds.h) and outputs
  // of match `index`, over all batches so far. Those that were not asked for,
  // or for which nothing was compared, are absent.
  void SetFigures(size_t index, LayerComparison& layer) const;

  // Returns a layer that has nothing but these.
  LayerComparison FiguresOf(size_t index) const;

  // Returns the error of the variant (PairPlan::variants) against the shadow of
  // match `index`; absent likewise.
  std::optional<ErrorFigures> Variant(size_t index) const;

  // Calls `see` with each pair of values that the shadow of match `index`
  // compares. Nothing without a shadow.
  void ObserveShadow(size_t index, PairComparer::Observer see);

  // Matches that cannot be shadowed, among them those whose float subgraph
  // failed on values of the quantized model; empty when shadows were not asked
  // for.
  std::vector<NotShadowedMatch> not_shadowed() const;

  // Quantized ops without a reference kernel; empty when kernels were not asked
  // for.
  const std::vector<NotShadowedMatch>& no_reference() const {
    return pair_.no_reference;
  }

  // One line for each match whose values could not be compared.
  std::vector<std::string> Warnings() const;

 private:
  PairRunner(const ModelGraph& float_model, const ModelGraph& quantized_model,
             const MatchResult& matches, const CompareOptions& options,
             PairedModels pair);

  // Why a shadow does not run, and the batch in which it failed.
  struct FailedShadow {
    int64_t batch = 0;
    std::string reason;
  };

  void ComputeUserFigures();
  // Runs both models alone to find out which of them fails, and why; OK when
  // neither does.
  absl::Status Blame(const std::vector<c10::IValue>& of_float,
                     const std::vector<c10::IValue>& of_quantized) const;
  bool HasFailedShadow(size_t index) const {
    return failed_shadows_[index].has_value();
  }
  // What `comparer` gathered for match `index`; absent where it is null or saw
  // nothing, or where it `is_of_shadow` and that failed.
  std::optional<ActivationComparison> Result(
      size_t index, bool is_of_shadow, const PairComparerPtr& comparer) const;
  std::vector<OutputComparison> OtherOutputs(size_t index) const;

  const ModelGraph* float_model_;
  const ModelGraph* quantized_model_;
  const MatchResult* matches_;
  // The user's figures hold the address of the metrics in it.
  std::unique_ptr<const CompareOptions> options_;
  PairedModels pair_;
  int64_t batch_ = 0;
  // One for each match.
  std::vector<std::optional<FailedShadow>> failed_shadows_;
  // What the models returned for the last batch, for TakeOutputs.
  c10::IValue outputs_;
  // Null where nothing is saved.
  std::unique_ptr<ActivationSaver> saver_;
  // The user's metrics at each comparer, in the order of layers; comparers hold
  // the addresses.
  std::vector<std::unique_ptr<UserFigures>> user_figures_;
  std::map<const PairComparer*, const UserFigures*> user_figures_of_;
};

}  // namespace ns

#endif  // NS_SUITE_PAIR_RUNNER_H_
