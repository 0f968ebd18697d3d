// Extracts the weights of matched subgraphs, side by side.
#ifndef PASSES_EXTRACTION_EXTRACT_WEIGHTS_H_
#define PASSES_EXTRACTION_EXTRACT_WEIGHTS_H_

#include <string>

#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"
#include "passes/extraction/results.h"
#include "passes/extraction/weight_extraction.h"
#include "passes/matching/graph_matcher.h"

namespace ns {

struct ExtractWeightsOptions {
  // The user's functions for ops that the op table (passes/ops/op_table.h) does
  // not know, or whose weights it does not find. They are called for both
  // models.
  OpToWeightExtractionFn op_to_weight_extraction_fn;
};

// Returns one record for each weight of every match, under type kWeightResult
// and the name of each model. A match is left out unless constant weights of
// its base op are found in both models, or functions of the user return some.
// Where a batch norm follows the base op in a matched subgraph, the norm is
// folded into the weights, so that they compare with those of a model where
// that was done already; not into weights that a function of the user returned.
// Quantized weights stay quantized. `matches` must be of these two models. (In
// PyTorch's suite it is extract_weights.)
//
// Error, naming the layer: weights that cannot be read.
absl::StatusOr<Results> ExtractMatchedWeights(
    const std::string& name_a, const ModelGraph& a, const std::string& name_b,
    const ModelGraph& b, const MatchResult& matches,
    const ExtractWeightsOptions& options = {});

}  // namespace ns

#endif  // PASSES_EXTRACTION_EXTRACT_WEIGHTS_H_
