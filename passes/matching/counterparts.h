// Finds the places and values of A that correspond to those in control flow of
// B.
#ifndef PASSES_MATCHING_COUNTERPARTS_H_
#define PASSES_MATCHING_COUNTERPARTS_H_

#include "llvm/ADT/DenseSet.h"
#include "passes/matching/matchable_nodes.h"
#include "passes/matching/subgraph_pairs.h"

namespace torch::jit {
struct Block;
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// A value that both models have, apart from being quantized in B.
struct SameValue {
  // The value in A; null when there is none.
  torch::jit::Value* a = nullptr;
  // The values in B that lead to it: the one that was asked for, and those that
  // it comes from by way of control flow, quantize nodes and ops that keep
  // values (value_keeping.h), up to values that are matched.
  llvm::DenseSet<torch::jit::Value*> b;
};

// Finds counterparts in two models whose nodes are paired. All arguments must
// outlive the object.
class Counterparts {
 public:
  Counterparts(const MatchableNodes& nodes_a, const MatchableNodes& nodes_b,
               const SubgraphPairs& pairs)
      : nodes_a_(nodes_a), nodes_b_(nodes_b), pairs_(pairs) {}

  // Returns the block of A that corresponds to `block` of B: it holds the
  // partners of its nodes, or is the same arm or body of the partner of its
  // control flow. Null when there is none.
  torch::jit::Block* Of(const torch::jit::Block& block) const;

  // Returns the value of A that `value` of B corresponds to. There is none when
  // the arms of a prim::If, or the trips of a loop, lead to different ones.
  SameValue Find(torch::jit::Value* value) const;

 private:
  torch::jit::Node* PartnerOf(const torch::jit::Node& control) const;

  const MatchableNodes& nodes_a_;
  const MatchableNodes& nodes_b_;
  const SubgraphPairs& pairs_;
};

}  // namespace ns

#endif  // PASSES_MATCHING_COUNTERPARTS_H_
