// The numeric suite in one call: match, log, run, compare.
#ifndef NS_COMPARE_MODELS_H_
#define NS_COMPARE_MODELS_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/model_graph.h"
#include "ns/batches.h"
#include "ns/comparison_result.h"
#include "passes/matching/graph_matcher.h"

namespace ns {

struct CompareOptions {
  MatchOptions match;
  bool weights = true;
  // Outputs of matched subgraphs, each model on its own values.
  bool activations = false;
  // Outputs of the float subgraphs, fed with the quantized model's values.
  bool shadows = false;
  // Called after each batch with the number done and the number to do.
  std::function<void(int64_t done, int64_t total)> progress;
};

// Matches the two models and lists the pairs: layers without figures, and what
// stayed unmatched.
absl::StatusOr<ComparisonResult> DescribeMatches(
    const ModelGraph& float_model, const ModelGraph& quantized_model,
    const MatchOptions& options = {});

// Compares what `options` asks for. With activations or shadows the models run
// on every batch; memory holds the activations of one batch. The models are not
// changed. Paths in the result are left empty.
//
// Errors: models with nothing in common, or swapped (only the float one has
// quantized ops); a batch that does not fit a model, or fails in it: the
// message says which batch.
absl::StatusOr<ComparisonResult> CompareModels(
    const ModelGraph& float_model, const ModelGraph& quantized_model,
    const std::vector<Batch>& batches, const CompareOptions& options = {});

}  // namespace ns

#endif  // NS_COMPARE_MODELS_H_
