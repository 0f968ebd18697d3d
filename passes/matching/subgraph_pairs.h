// Builds the pairs of subgraphs while two models are matched.
#ifndef PASSES_MATCHING_SUBGRAPH_PAIRS_H_
#define PASSES_MATCHING_SUBGRAPH_PAIRS_H_

#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "llvm/ADT/DenseMap.h"
#include "passes/analysis/subgraph.h"
#include "passes/matching/common_end.h"
#include "passes/matching/matchable_nodes.h"

namespace torch::jit {
struct Value;
}  // namespace torch::jit

namespace ns {

// Keeps which matchable node of A belongs to which of B, the subgraphs around
// them, and which values correspond as a consequence.
class SubgraphPairs {
 public:
  SubgraphPairs(const MatchableNodes& nodes_a, const MatchableNodes& nodes_b);

  // Pairs two nodes. Extends each subgraph over the nodes behind its base op as
  // far as both compute the same (common_end.h).
  void Match(int a, int b);

  // Pairs two subgraphs whose extent is known, as matchable nodes from base op
  // to end.
  void MatchChains(const std::vector<int>& a, const std::vector<int>& b);

  // Takes in the casts around ops that emulate half precision; what quantizes
  // the output of a float op of A that B computes in int8, as an op of a
  // quantized model and the lowered form of both; and constants that one model
  // has folded into a convolution. To be called when all pairs are made.
  void WrapCasts();

  // False for a pair where one side has fused something that the other does not
  // compute at this place.
  bool EndAtSamePlace(int b) const { return !ends_elsewhere_.contains(b); }

  // Marks the values as corresponding.
  void Link(torch::jit::Value* value_a, torch::jit::Value* value_b);

  // Returns the node that is matched with the given one, or -1.
  int PartnerOfB(int b) const { return partner_of_b_[b]; }
  int PartnerOfA(int a) const { return partner_of_a_[a]; }

  // True when the node is part of a subgraph, as base op or otherwise.
  bool IsTakenA(int a) const { return taken_a_[a]; }
  bool IsTakenB(int b) const { return taken_b_[b]; }

  // Returns the last matchable node of the subgraph of a pair.
  int EndOfA(int a) const { return ends_a_[a]; }
  int EndOfB(int b) const { return ends_b_[b]; }

  // Returns the subgraphs of a pair; each can be taken once.
  Subgraph TakeSubgraphOfA(int a) { return std::move(subgraphs_a_[a]); }
  Subgraph TakeSubgraphOfB(int b) { return std::move(subgraphs_b_[b]); }

  // Returns the value of A that corresponds to one of B, or null.
  torch::jit::Value* LinkedA(torch::jit::Value* value_b) const;
  Source LinkedA(const Source& source_b) const;

 private:
  struct Side {
    const MatchableNodes& nodes;
    std::vector<bool>& taken;
    std::vector<Subgraph>& subgraphs;
    std::vector<int>& ends;
  };
  Side SideA() { return {nodes_a_, taken_a_, subgraphs_a_, ends_a_}; }
  Side SideB() { return {nodes_b_, taken_b_, subgraphs_b_, ends_b_}; }

  void Begin(int a, int b);

  static void Append(const Side& side, int base, int next);
  // Takes in the nodes behind `base` in the same fused module.
  static void ExtendWithinModule(const Side& side, int base);
  // Takes in the first `count` steps; returns false if some belong to other
  // subgraphs.
  static bool TakeIn(const Side& side, int base, const Steps& steps,
                     size_t count);
  void ExtendToCommonEnd(int a, int b);
  // Takes in the casts around ops that emulate half precision.
  void WrapHalfPrecision(int a, int b);
  // Takes in the node that quantizes what A's subgraph gives, if B's op does so
  // itself.
  void TakeInQuantize(int a, int b);
  // Takes in constants that the other side has folded into its convolution
  // (folded_constants.h), and the activation that is fused into the last of
  // these ops.
  void TakeInFoldedConstants(int a, int b);
  // Does so for `side`, whose base is `base`; `other_base` is that of `other`.
  static void TakeInFoldedConstants(const Side& side, int base,
                                    const Side& other, int other_base);
  void LinkOutputs(int a, int b);

  const MatchableNodes& nodes_a_;
  const MatchableNodes& nodes_b_;
  std::vector<int> partner_of_a_;
  std::vector<int> partner_of_b_;
  std::vector<bool> taken_a_;
  std::vector<bool> taken_b_;
  // The subgraphs by base node; empty for other nodes.
  std::vector<Subgraph> subgraphs_a_;
  std::vector<Subgraph> subgraphs_b_;
  // The last matchable node of each subgraph, by base node.
  std::vector<int> ends_a_;
  std::vector<int> ends_b_;
  // The nodes of B whose subgraph ends at another place than its partner.
  absl::flat_hash_set<int> ends_elsewhere_;
  // By node of B: the node of A whose only output corresponds to that node's
  // only output, or -1.
  std::vector<int> linked_end_;
  // The values that correspond and are not outputs of such nodes.
  llvm::DenseMap<const torch::jit::Value*, torch::jit::Value*> linked_;
};

}  // namespace ns

#endif  // PASSES_MATCHING_SUBGRAPH_PAIRS_H_
