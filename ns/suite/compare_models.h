// The numeric suite in one call: match, log, run, compare.
#ifndef NS_SUITE_COMPARE_MODELS_H_
#define NS_SUITE_COMPARE_MODELS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/model_graph.h"
#include "ns/batches/batch_reader.h"
#include "ns/suite/activation_files.h"
#include "ns/suite/comparison_result.h"
#include "ns/suite/user_metrics.h"
#include "passes/extraction/weight_extraction.h"
#include "passes/kernels/saturation_mode.h"
#include "passes/matching/graph_matcher.h"
#include "passes/ops/op_io_types.h"

namespace ns {

struct CompareOptions {
  MatchOptions match;
  bool weights = true;
  // As ExtractWeightsOptions::op_to_weight_extraction_fn.
  OpToWeightExtractionFn op_to_weight_extraction_fn;
  // Outputs of matched subgraphs, each model on its own values.
  bool activations = false;
  // Outputs of the float subgraphs, fed with the quantized model's values.
  bool shadows = false;
  // For shadows: what ops compute with that the op table does not know.
  OpIoTypes io_types = {};
  // Outputs of quantized ops, against those of reference kernels on the same
  // inputs: what the kernels add to what quantization costs.
  bool kernels = false;
  // Float convolutions run as they stand. Otherwise those with a quantized
  // counterpart run folded and fused where they can, which changes their values
  // by up to 1e-4 of themselves.
  bool exact = false;
  // Runs the quantized model on ns kernels, with the answers of fbgemm on
  // another processor, and tells what saturates in each layer. With activations
  // the models run twice: once without saturation, for comparison. Null for
  // LibTorch's kernels.
  std::optional<kernels::SaturationMode> emulate;
  // How many of the worst output channels to name at each layer.
  int64_t worst_channels = 0;
  // Whether to tell how large the largest errors of each layer are, which takes
  // about a tenth more time.
  bool outliers = false;
  // Metrics of the user's own, computed of activations, shadows and kernels.
  std::vector<UserMetric> user_metrics;
  // Where the compared values are kept; not owned; null for nowhere.
  ActivationFiles* files = nullptr;
  // Called after each batch with the number done and the number to do; one that
  // is run twice counts twice.
  std::function<void(int64_t done, int64_t total)> progress;
};

// Matches the two models and lists the pairs: layers without figures, and what
// stayed unmatched.
absl::StatusOr<ComparisonResult> DescribeMatches(
    const ModelGraph& float_model, const ModelGraph& quantized_model,
    const MatchOptions& options = {});

// Compares what `options` asks for. With activations or shadows the models run
// in step on every batch; values are compared as they are made, and memory
// holds one batch and what the models need for it. The models are not changed.
// Paths in the result are left empty.
//
// Errors: models with nothing in common, or swapped (only the float one has
// quantized ops); a batch that cannot be read, does not fit a model, or fails
// in it: the message says which batch; a metric of the user that fails; a file
// that cannot be written; nothing to emulate.
absl::StatusOr<ComparisonResult> CompareModels(
    const ModelGraph& float_model, const ModelGraph& quantized_model,
    const BatchReader& batches, const CompareOptions& options = {});

}  // namespace ns

#endif  // NS_SUITE_COMPARE_MODELS_H_
