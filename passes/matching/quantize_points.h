// Finds the aten::quantize_per_tensor nodes of a quantized model as comparison
// points: a bad scale or zero point shows there and nowhere else.
#ifndef PASSES_MATCHING_QUANTIZE_POINTS_H_
#define PASSES_MATCHING_QUANTIZE_POINTS_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "passes/matching/matchable_nodes.h"
#include "passes/matching/subgraph_pairs.h"
#include "passes/matching/unpaired_inputs.h"

namespace torch::jit {
struct Block;
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

struct QuantizePoint {
  torch::jit::Node* node = nullptr;
  // The value that the node quantizes in B, without the casts, copies,
  // dequantizes, observers and dropouts in front of it: what goes into the
  // first of these. It is made by another op, or is an input of the graph.
  torch::jit::Value* source = nullptr;
  // The value of A to compare with what the node gives; null when there is
  // none. Where A is quantized itself, as a model that B was lowered from, it
  // is what A's quantize node gives.
  torch::jit::Value* value_a = nullptr;
  // Why there is no such value; empty when there is one.
  absl::string_view reason;
  // The block of A that corresponds to the node's, when value_a comes from
  // outside of it; null otherwise.
  torch::jit::Block* block_a = nullptr;
};

// Returns the nodes of model B that quantize activations as a whole, in order
// of execution: not those of constants (weights), of lists of tensors, or by
// channel, and not those inside a matched prim::If that have no value in A. To
// be called once all of `pairs` are made; the others are of the same two
// models. The result points into both graphs.
std::vector<QuantizePoint> FindQuantizePoints(const MatchableNodes& nodes_a,
                                              const MatchableNodes& nodes_b,
                                              const SubgraphPairs& pairs,
                                              const UnpairedInputs& unpaired);

}  // namespace ns

#endif  // PASSES_MATCHING_QUANTIZE_POINTS_H_
