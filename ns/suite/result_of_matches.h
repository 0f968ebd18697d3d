// Starts the result of a comparison: which layers match, and what does not.
#ifndef NS_SUITE_RESULT_OF_MATCHES_H_
#define NS_SUITE_RESULT_OF_MATCHES_H_

#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"
#include "ns/result/comparison_result.h"
#include "passes/matching/graph_matcher.h"

namespace ns {

// Returns a result with a layer for each of `matches`, in their order, and the
// unmatched nodes of both models, but no figures. Error: that of CheckRelated,
// for models that have nothing to do with each other.
absl::StatusOr<ComparisonResult> ResultOfMatches(
    const ModelGraph& float_model, const ModelGraph& quantized_model,
    const MatchResult& matches, const MatchOptions& options);

// Tells where the layers of `result`, one for each of `matches`, are in the
// user's code (LayerSide::source).
void DescribeSources(const MatchResult& matches, ComparisonResult& result);

}  // namespace ns

#endif  // NS_SUITE_RESULT_OF_MATCHES_H_
