// Where the weights of matched subgraphs come from.
#ifndef PASSES_EXTRACTION_WEIGHT_EXTRACTION_H_
#define PASSES_EXTRACTION_WEIGHT_EXTRACTION_H_

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/model_graph.h"
#include "passes/analysis/node_weights.h"
#include "passes/analysis/subgraph.h"

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

// Gives the weights of `node`, the base op of a match in `model`, as they are
// to be compared: dense or quantized, shaped as those of the other model's op.
// None is no error. May throw c10::Error.
using WeightExtractionFn =
    std::function<absl::StatusOr<std::vector<NamedTensor>>(
        const torch::jit::Node& node, const ModelGraph& model)>;

// By op: an operator, "my::linear", or a type of leaf modules or a leaf
// function, "Block" (reference: op_to_type_to_weight_extraction_fn).
using OpToWeightExtractionFn = std::map<std::string, WeightExtractionFn>;

// The weights of a matched subgraph of `model`: what the function for its base
// op gives, as it gives it, or SubgraphWeights (subgraph_weights.h) where
// `functions` have none. Error: that of the function, which the message names
// by its op, or a tensor of it that is not defined; or as SubgraphWeights.
absl::StatusOr<std::vector<NamedTensor>> MatchedWeights(
    const Subgraph& subgraph, const ModelGraph& model,
    const OpToWeightExtractionFn& functions);

}  // namespace ns

#endif  // PASSES_EXTRACTION_WEIGHT_EXTRACTION_H_
