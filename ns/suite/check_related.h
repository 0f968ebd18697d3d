// Checks that two models can be compared at all.
#ifndef NS_SUITE_CHECK_RELATED_H_
#define NS_SUITE_CHECK_RELATED_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/model_graph.h"
#include "passes/matching/graph_matcher.h"

namespace ns {

// Warnings for the user about a pair of models and what matching made of it: a
// quantized model without a quantized op, or one that is mostly unmatched.
// Error: models with no layer in common, or swapped (only the float one has
// quantized ops).
absl::StatusOr<std::vector<std::string>> CheckRelated(
    const ModelGraph& float_model, const ModelGraph& quantized_model,
    const MatchResult& matches);

}  // namespace ns

#endif  // NS_SUITE_CHECK_RELATED_H_
