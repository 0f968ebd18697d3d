// Lets users extract the weights of ops that the op table does not know.
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

// Returns the weights of `node`, the base op of a match in `model`, as they are
// to be compared: dense or quantized, shaped as those of the other model's op.
// Returning none is no error. May throw c10::Error.
using WeightExtractionFn =
    std::function<absl::StatusOr<std::vector<NamedTensor>>(
        const torch::jit::Node& node, const ModelGraph& model)>;

// The functions by op: an operator, "my::linear", or a type of leaf modules or
// a leaf function, "Block". (In PyTorch's suite it is
// op_to_type_to_weight_extraction_fn.)
using OpToWeightExtractionFn = std::map<std::string, WeightExtractionFn>;

// Returns the weights of a matched subgraph of `model`: what the function for
// its base op returns, unchanged, or SubgraphWeights (subgraph_weights.h) where
// `functions` has none. Error: that of the function, with the op's name in the
// message; a tensor of it that is not defined; or as SubgraphWeights.
absl::StatusOr<std::vector<NamedTensor>> MatchedWeights(
    const Subgraph& subgraph, const ModelGraph& model,
    const OpToWeightExtractionFn& functions);

}  // namespace ns

#endif  // PASSES_EXTRACTION_WEIGHT_EXTRACTION_H_
