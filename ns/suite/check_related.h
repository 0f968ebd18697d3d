// Checks that two models can be compared at all.
#ifndef NS_SUITE_CHECK_RELATED_H_
#define NS_SUITE_CHECK_RELATED_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"
#include "passes/matching/graph_matcher.h"

namespace ns {

// Returns warnings for the user: that the quantized model has no quantized op,
// or that more of its ops are unmatched than matched. `matches` is what
// MatchSubgraphs(float_model, quantized_model) returned. Error: the models are
// swapped (only the float one has quantized ops); or they have no layer in
// common: nothing is matched, or no op with weights although the quantized
// model has such ops.
absl::StatusOr<std::vector<std::string>> CheckRelated(
    const ModelGraph& float_model, const ModelGraph& quantized_model,
    const MatchResult& matches);

}  // namespace ns

#endif  // NS_SUITE_CHECK_RELATED_H_
