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
  // The value that the node quantizes in B, behind casts: an output of a node
  // or an input.
  torch::jit::Value* source = nullptr;
  // The value of A that corresponds to the input; null when there is none to
  // compare with.
  torch::jit::Value* value_a = nullptr;
  // Why there is no such value; empty when there is one.
  absl::string_view reason;
  // The block of A that corresponds to the node's, when value_a comes from
  // outside of it; null otherwise.
  torch::jit::Block* block_a = nullptr;
};

// Returns all quantize nodes of activations in model B, in order of execution.
// Quantized constants (weights) are left out.
std::vector<QuantizePoint> FindQuantizePoints(const MatchableNodes& nodes_a,
                                              const MatchableNodes& nodes_b,
                                              const SubgraphPairs& pairs,
                                              const UnpairedInputs& unpaired);

}  // namespace ns

#endif  // PASSES_MATCHING_QUANTIZE_POINTS_H_
