// Where in A what stands in control flow of B has its place, and which values
// are the same.
#ifndef PASSES_MATCHING_COUNTERPARTS_H_
#define PASSES_MATCHING_COUNTERPARTS_H_

#include "absl/container/flat_hash_set.h"
#include "passes/matching/matchable_nodes.h"
#include "passes/matching/subgraph_pairs.h"

namespace torch::jit {
struct Block;
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// A value that both models have, but for being quantized in B.
struct SameValue {
  // Null when there is none.
  torch::jit::Value* a = nullptr;
  // What it is in B, on all ways through control flow.
  absl::flat_hash_set<torch::jit::Value*> b;
};

// Of two models whose nodes are paired. Everything must outlive the object.
class Counterparts {
 public:
  Counterparts(const MatchableNodes& nodes_a, const MatchableNodes& nodes_b,
               const SubgraphPairs& pairs)
      : nodes_a_(nodes_a), nodes_b_(nodes_b), pairs_(pairs) {}

  // The block of A that corresponds to `block` of B: it holds the partners of
  // its nodes, or is the same arm or body of the partner of its control flow.
  // Null when there is none.
  torch::jit::Block* Of(const torch::jit::Block& block) const;

  // The value of A that `value` of B is, whichever way control flow takes.
  SameValue Find(torch::jit::Value* value) const;

 private:
  torch::jit::Node* PartnerOf(const torch::jit::Node& control) const;

  const MatchableNodes& nodes_a_;
  const MatchableNodes& nodes_b_;
  const SubgraphPairs& pairs_;
};

}  // namespace ns

#endif  // PASSES_MATCHING_COUNTERPARTS_H_
