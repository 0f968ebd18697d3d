// Lets users say where an op has its weights, such as an op of their own that
// the op table (passes/ops/op_table.h) does not know.
#ifndef PASSES_EXTRACTION_WEIGHT_EXTRACTION_H_
#define PASSES_EXTRACTION_WEIGHT_EXTRACTION_H_

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"
#include "passes/analysis/node_weights.h"
#include "passes/analysis/subgraph.h"

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

// Returns the weights of `node`, the base op of a match in `model`: unpacked,
// float or quantized, and in the shape of the float op's. The weights of the
// two models are compared in the order in which they are returned. An empty
// list says that the op has none. A c10::Error that the function throws becomes
// an error of MatchedWeights.
using WeightExtractionFn =
    std::function<absl::StatusOr<std::vector<NamedTensor>>(
        const torch::jit::Node& node, const ModelGraph& model)>;

// The functions by the name of an op: an operator, "my::linear", or the type of
// a leaf module or name of a leaf function, "Block". It corresponds to
// op_to_type_to_weight_extraction_fn of PyTorch's extract_weights.
using OpToWeightExtractionFn = std::map<std::string, WeightExtractionFn>;

// Returns the weights of a matched subgraph of `model`. Where `functions` has
// one for its base op, they are what that returns, in which no batch norm is
// folded; elsewhere SubgraphWeights (passes/analysis/subgraph_weights.h).
// Error: that of the function, with the op's name in front; an undefined tensor
// among those that it returned; or as SubgraphWeights.
absl::StatusOr<std::vector<NamedTensor>> MatchedWeights(
    const Subgraph& subgraph, const ModelGraph& model,
    const OpToWeightExtractionFn& functions);

}  // namespace ns

#endif  // PASSES_EXTRACTION_WEIGHT_EXTRACTION_H_
