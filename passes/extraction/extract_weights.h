// Extracts the weights of matched subgraphs, side by side.
#ifndef PASSES_EXTRACTION_EXTRACT_WEIGHTS_H_
#define PASSES_EXTRACTION_EXTRACT_WEIGHTS_H_

#include <string>

#include "absl/status/statusor.h"
#include "ir/model_graph.h"
#include "passes/extraction/results.h"
#include "passes/extraction/weight_extraction.h"
#include "passes/matching/graph_matcher.h"

namespace ns {

struct ExtractWeightsOptions {
  // Functions of the user for ops whose weights cannot be found or read by what
  // the op table says. They are called for both models.
  OpToWeightExtractionFn op_to_weight_extraction_fn;
};

// Returns one record a weight, for every match whose base ops have constant
// weights, under type kWeightResult and each model's name. Weights of A have
// the batch norm folded in that B's weights have, unless a function of the user
// returned them. Values of B are as stored: quantized. Layers without weights
// are left out. `matches` must be of these two models. (In PyTorch's suite it
// is extract_weights.)
//
// Error, naming the layer: weights that cannot be read.
absl::StatusOr<Results> ExtractWeights(
    const std::string& name_a, const ModelGraph& a, const std::string& name_b,
    const ModelGraph& b, const MatchResult& matches,
    const ExtractWeightsOptions& options = {});

}  // namespace ns

#endif  // PASSES_EXTRACTION_EXTRACT_WEIGHTS_H_
