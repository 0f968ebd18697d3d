// Tells what can be known of two matched models without running them.
#ifndef NS_SUITE_DESCRIBE_MODELS_H_
#define NS_SUITE_DESCRIBE_MODELS_H_

#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"
#include "ns/result/comparison_result.h"
#include "ns/suite/compare_options.h"
#include "passes/matching/graph_matcher.h"

namespace ns {

// Starts the result of a comparison. It has a layer for each of `matches`, in
// their order, with its place in the user's code, its scales and zero points,
// and what it runs in; what did not match; layers that are swapped; what of the
// quantized model is quantized; and, where `options` ask for them, the graphs
// and the comparison of the weights. Activations, shadows and kernels have no
// figures yet. `matches` are those of these two objects, with float as A, made
// with `options.match`.
//
// Errors: models that have nothing to do with each other, or were given in the
// wrong order (CheckRelated); a graph that LibTorch cannot analyse; weights
// that cannot be read; what CompareOptions::check_matches returns.
absl::StatusOr<ComparisonResult> DescribeModels(
    const ModelGraph& float_model, const ModelGraph& quantized_model,
    const MatchResult& matches, const CompareOptions& options);

}  // namespace ns

#endif  // NS_SUITE_DESCRIBE_MODELS_H_
