#include "passes/matching/aligned_matcher.h"

#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "passes/matching/control_flow_results.h"
#include "passes/matching/counterpart_by_data.h"
#include "passes/matching/implied_activation.h"
#include "passes/matching/places_by_name.h"
#include "passes/matching/sequence_alignment.h"
#include "passes/matching/weight_similarity.h"

namespace ns {
namespace {

using ::torch::jit::Block;
using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;

class Aligner {
 public:
  Aligner(const MatchableNodes& nodes_a, const MatchableNodes& nodes_b)
      : a_(nodes_a),
        b_(nodes_b),
        pairs_(nodes_a, nodes_b),
        counterpart_(nodes_a, nodes_b, pairs_) {}

  SubgraphPairs Run(Graph& graph_a, Graph& graph_b) && {
    AnchorByName();
    AnchorByWeight();
    AnchorControlFlow();
    AlignBlocks(graph_a.block(), graph_b.block());
    pairs_.WrapCasts();
    return std::move(pairs_);
  }

 private:
  bool CanMatch(int a, int b) const {
    const MatchableNode& node_a = a_[a];
    const MatchableNode& node_b = b_[b];
    return !pairs_.IsTakenA(a) && !pairs_.IsTakenB(b) &&
           !node_a.is_unmatchable && !node_b.is_unmatchable &&
           node_a.family == node_b.family &&
           (!node_a.weight_shape || !node_b.weight_shape ||
            *node_a.weight_shape == *node_b.weight_shape);
  }

  // Whether the op before `node` has the range of the output of `node`, a
  // clamp: then both are one subgraph, which is matched by that op.
  static bool HasItsRangeBefore(const Node& node) {
    return IsClamp(node) && HasRangeOf(*node.input(0)->node(), node);
  }

  // Matches nodes of the same family in the same call of the same module, when
  // there are equally many on both sides. Code of the root module is left to
  // the data flow: a tracer that flattens the hierarchy puts everything there.
  void AnchorByName() {
    const PlacesByName places(a_, b_);
    // The order is that of execution: a match may take in a node that a later
    // one would match.
    for (const PlacesByName::Place& place : places.in_order()) {
      if (place.of_a.size() != place.of_b.size()) {
        continue;
      }
      for (size_t i = 0; i < place.of_a.size(); ++i) {
        if (CanMatch(place.of_a[i], place.of_b[i]) &&
            !HasItsRangeBefore(*b_[place.of_b[i]].base)) {
          pairs_.Match(place.of_a[i], place.of_b[i]);
        }
      }
    }
  }

  // Matches nodes by weight where a model has lost its names: the right pair is
  // far closer than any other of the same shape.
  void AnchorByWeight() {
    using Key = std::pair<absl::string_view, std::vector<int64_t>>;
    std::map<Key, std::pair<std::vector<int>, std::vector<int>>> by_shape;
    for (int i : a_.weighted()) {
      if (!pairs_.IsTakenA(i)) {
        by_shape[{a_[i].family, *a_[i].weight_shape}].first.push_back(i);
      }
    }
    for (int i : b_.weighted()) {
      if (!pairs_.IsTakenB(i)) {
        by_shape[{b_[i].family, *b_[i].weight_shape}].second.push_back(i);
      }
    }
    for (const auto& [key, nodes] : by_shape) {
      if (nodes.first.empty() || nodes.second.empty()) {
        continue;
      }
      for (const auto& [a, b] :
           PairBySimilarWeights(a_, nodes.first, b_, nodes.second)) {
        if (CanMatch(a, b)) {
          pairs_.Match(a, b);
        }
      }
    }
  }

  // Matches the control flow around nodes that are matched already, innermost
  // first.
  void AnchorControlFlow() {
    if (!a_.has_control_flow() || !b_.has_control_flow()) {
      return;
    }
    for (int b = b_.size() - 1; b >= 0; --b) {
      const int a = pairs_.PartnerOfB(b);
      if (a < 0) {
        continue;
      }
      const Block* block_a = a_[a].node->owningBlock();
      const Block* block_b = b_[b].node->owningBlock();
      while (block_a->owningNode() != nullptr &&
             block_b->owningNode() != nullptr) {
        const int outer_a = a_.IndexOf(block_a->owningNode());
        const int outer_b = b_.IndexOf(block_b->owningNode());
        if (outer_a < 0 || outer_b < 0 || !CanMatch(outer_a, outer_b)) {
          break;
        }
        pairs_.Match(outer_a, outer_b);
        block_a = block_a->owningNode()->owningBlock();
        block_b = block_b->owningNode()->owningBlock();
      }
    }
  }

  void AlignBlocks(Block* block_a, Block* block_b) {
    LinkInputs(block_a, block_b);
    FollowData(block_a, block_b);
    AlignGaps(block_a, block_b);
    for (int b : b_.InBlock(block_b)) {
      const int a = pairs_.PartnerOfB(b);
      if (a < 0 || !b_[b].is_control_flow || !a_[a].is_control_flow) {
        continue;
      }
      at::ArrayRef<Block*> arms_a = a_[a].node->blocks();
      at::ArrayRef<Block*> arms_b = b_[b].node->blocks();
      for (size_t i = 0; i < std::min(arms_a.size(), arms_b.size()); ++i) {
        AlignBlocks(arms_a[i], arms_b[i]);
      }
    }
  }

  // Links the inputs of both graphs, in order and without the module, or the
  // values that loops carry.
  void LinkInputs(Block* block_a, Block* block_b) {
    const Node* loop_a = block_a->owningNode();
    const Node* loop_b = block_b->owningNode();
    if (loop_a != nullptr && loop_a->kind() == c10::prim::Loop) {
      // The first parameter of a body counts the trips.
      for (const auto& [i, j] : PairResults(*loop_a, *loop_b)) {
        pairs_.Link(block_a->inputs()[i + 1], block_b->inputs()[j + 1]);
      }
      return;
    }
    const auto values = [](Block* block) {
      std::vector<Value*> inputs;
      for (Value* input : block->inputs()) {
        const auto type = input->type()->cast<c10::ClassType>();
        if (!type || !type->is_module()) {
          inputs.push_back(input);
        }
      }
      return inputs;
    };
    const std::vector<Value*> inputs_a = values(block_a);
    const std::vector<Value*> inputs_b = values(block_b);
    for (size_t i = 0; i < std::min(inputs_a.size(), inputs_b.size()); ++i) {
      pairs_.Link(inputs_a[i], inputs_b[i]);
    }
  }

  // Walks block B in order of execution and matches each node with the
  // unmatched node of its family in A that takes the most corresponding values.
  void FollowData(Block* block_a, Block* block_b) {
    std::vector<int> free_a;
    absl::c_copy_if(a_.InBlock(block_a), std::back_inserter(free_a),
                    [&](int a) { return !pairs_.IsTakenA(a); });
    counterpart_.SetCandidates(free_a);
    for (int b : b_.InBlock(block_b)) {
      if (pairs_.IsTakenB(b)) {
        continue;
      }
      const int a =
          counterpart_.Of(b, [&](int other) { return CanMatch(other, b); });
      if (a >= 0) {
        pairs_.Match(a, b);
      }
    }
  }

  // Aligns the unmatched nodes between pairs that stand in the same order in
  // both blocks.
  void AlignGaps(Block* block_a, Block* block_b) {
    const absl::Span<const int> all_a = a_.InBlock(block_a);
    const absl::Span<const int> all_b = b_.InBlock(block_b);
    if (all_a.empty() || all_b.empty()) {
      return;
    }
    std::vector<int> matched_a;
    std::vector<int> matched_b;
    for (size_t j = 0; j < all_b.size(); ++j) {
      // Indices rise within a block.
      const auto it = std::lower_bound(all_a.begin(), all_a.end(),
                                       pairs_.PartnerOfB(all_b[j]));
      if (it != all_a.end() && *it == pairs_.PartnerOfB(all_b[j])) {
        matched_a.push_back(static_cast<int>(it - all_a.begin()));
        matched_b.push_back(static_cast<int>(j));
      }
    }
    int begin_a = 0;
    int begin_b = 0;
    const auto align_until = [&](int end_a, int end_b) {
      AlignGap(all_a.subspan(begin_a, end_a - begin_a),
               all_b.subspan(begin_b, end_b - begin_b));
      begin_a = end_a + 1;
      begin_b = end_b + 1;
    };
    for (int i : LongestRisingSubsequence(matched_a)) {
      align_until(matched_a[i], matched_b[i]);
    }
    align_until(static_cast<int>(all_a.size()), static_cast<int>(all_b.size()));
  }

  void AlignGap(absl::Span<const int> gap_a, absl::Span<const int> gap_b) {
    std::vector<int> free_a;
    std::vector<int> free_b;
    std::copy_if(gap_a.begin(), gap_a.end(), std::back_inserter(free_a),
                 [&](int a) { return !pairs_.IsTakenA(a); });
    std::copy_if(gap_b.begin(), gap_b.end(), std::back_inserter(free_b),
                 [&](int b) { return !pairs_.IsTakenB(b); });
    for (const auto& [i, j] : AlignSequences(
             static_cast<int>(free_a.size()), static_cast<int>(free_b.size()),
             [&](int i, int j) { return CanMatch(free_a[i], free_b[j]); })) {
      // An earlier pair may have absorbed the node meanwhile.
      if (CanMatch(free_a[i], free_b[j])) {
        pairs_.Match(free_a[i], free_b[j]);
      }
    }
  }

  const MatchableNodes& a_;
  const MatchableNodes& b_;
  SubgraphPairs pairs_;
  // Of a node of B, in the block of A that is being followed.
  CounterpartByData counterpart_;
};

}  // namespace

SubgraphPairs AlignGraphs(Graph& graph_a, const MatchableNodes& nodes_a,
                          Graph& graph_b, const MatchableNodes& nodes_b) {
  return Aligner(nodes_a, nodes_b).Run(graph_a, graph_b);
}

}  // namespace ns
