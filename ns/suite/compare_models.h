// Compares two models in one call: matches, instruments and runs them.
#ifndef NS_SUITE_COMPARE_MODELS_H_
#define NS_SUITE_COMPARE_MODELS_H_

#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"
#include "ns/batches/batch_reader.h"
#include "ns/result/comparison_result.h"
#include "ns/suite/compare_options.h"
#include "passes/matching/graph_matcher.h"

namespace ns {

// Matches the two models and lists the pairs: layers without figures, and what
// stayed unmatched. Errors: those of MatchSubgraphs; models with nothing in
// common, or swapped (only the float one has quantized ops).
absl::StatusOr<ComparisonResult> DescribeMatches(
    const ModelGraph& float_model, const ModelGraph& quantized_model,
    const MatchOptions& options = {});

// Compares what `options` asks for. With activations or shadows the models run
// in step on every batch; values are compared as they are made, and memory
// holds one batch and what the models need for it. The models are not changed.
// Paths in the result are left empty.
//
// Errors: those of DescribeMatches; weights that cannot be read; a batch that
// cannot be read, does not fit a model, or fails in it: the message says which
// batch; a metric of the user that fails; a file that cannot be written;
// nothing to emulate.
absl::StatusOr<ComparisonResult> CompareModels(
    const ModelGraph& float_model, const ModelGraph& quantized_model,
    const BatchReader& batches, const CompareOptions& options = {});

}  // namespace ns

#endif  // NS_SUITE_COMPARE_MODELS_H_
