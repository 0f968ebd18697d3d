// Runs a quantized model and compares what its layers give with saved values.
#ifndef NS_REFERENCE_REFERENCE_COMPARER_H_
#define NS_REFERENCE_REFERENCE_COMPARER_H_

#include <ATen/core/function_schema.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"
#include "ns/batches/batch.h"
#include "ns/reference/reference_files.h"
#include "ns/result/comparison_result.h"
#include "ns/suite/compare_options.h"
#include "ns/suite/user_figures.h"
#include "passes/matching/graph_matcher.h"
#include "passes/matching/matches/matched_outputs.h"
#include "passes/runtime/loggers/output_logger.h"
#include "passes/runtime/loggers/pair_comparer.h"

namespace ns {

// Runs the quantized model with a logger at each output of a layer that has
// saved values, and compares the saved values (x) with the logged ones (y).
// After Create, call Run for each batch, and then AddFigures and AddReasons.
class ReferenceComparer {
 public:
  // `quantized` is a copy of the model, in which loggers are inserted. Model b
  // of `matches` is this copy; they are in the order of
  // ComparisonResult::layers. `options` must outlive the comparer; see
  // CompareWithReference (compare_reference.h) for which of them count. Error:
  // `files` cannot be read, or have values of no layer.
  static absl::StatusOr<ReferenceComparer> Create(
      ModelGraph quantized, const MatchResult& matches, ReferenceFiles files,
      const CompareOptions& options);

  // Returns the schema of the method that runs.
  const c10::FunctionSchema& schema() const;

  // Runs batch `index`, counted from 0 without gaps, and compares. Calls
  // without a saved value are left out; AddReasons lists them. Error: a batch
  // that does not fit the model or fails in it; values that cannot be read; a
  // metric of the user that fails.
  absl::Status Run(const Batch& batch, int64_t index);

  // Sets `activation` and `outputs` of the layers that have saved values, over
  // the batches so far.
  void AddFigures(ComparisonResult& result) const;

  // Lists what was not compared, and why, in `not_referenced`, and adds
  // warnings of it. To be called once, after all batches. Error: nothing was
  // compared.
  absl::Status AddReasons(ComparisonResult& result) const;

 private:
  // One output of a layer that has saved values.
  struct LoggedOutput {
    // As in MatchedOutput, but without a name where it is the first.
    size_t index = 0;
    std::string name;
    c10::intrusive_ptr<OutputLogger> logger;
    PairComparerPtr comparer;
    // Null without metrics of the user.
    std::unique_ptr<UserFigures> figures;
    // How many calls had no value, and why the first of them had none.
    int64_t missing = 0;
    std::string reason;

    bool IsCompared() const { return !comparer->record().batches.empty(); }
  };

  struct Layer {
    // Its index in ComparisonResult::layers.
    size_t index = 0;
    std::string name;
    std::unique_ptr<ReferenceValues> values;
    // The first output comes first.
    std::vector<LoggedOutput> outputs;
  };

  ReferenceComparer(ModelGraph quantized, ReferenceFiles files,
                    const CompareOptions& options)
      : model_(std::move(quantized)),
        files_(std::move(files)),
        options_(&options) {}

  absl::Status AddLayer(size_t index, const SubgraphMatch& match);
  absl::StatusOr<LoggedOutput> AddOutput(const SubgraphMatch& match,
                                         const MatchedOutput& output);
  // Notes values that no layer has.
  void ListUnknown(const MatchResult& matches);
  // Says that no layer has values.
  absl::Status NothingIsNamed(const MatchResult& matches) const;
  // Compares what `output` was in the last batch.
  static absl::Status CompareCalls(Layer& layer, LoggedOutput& output,
                                   int64_t batch);
  std::optional<ActivationComparison> FiguresOf(
      const LoggedOutput& output) const;

  ModelGraph model_;
  ReferenceFiles files_;
  const CompareOptions* options_;
  std::vector<Layer> layers_;
  // Layers without values, and values without a layer.
  std::vector<NotShadowed> unreferenced_;
};

}  // namespace ns

#endif  // NS_REFERENCE_REFERENCE_COMPARER_H_
