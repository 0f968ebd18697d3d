#include "passes/matching/match_follower.h"

#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <vector>

namespace ns {
namespace {

using ::torch::jit::Block;
using ::torch::jit::Node;

size_t NumberOf(const Node& node) {
  return node.outputs().empty() ? 0 : node.outputs()[0]->unique();
}

void CollectNumbers(const Block& block,
                    absl::flat_hash_map<const Node*, size_t>& numbers) {
  for (const Node* node : block.nodes()) {
    numbers[node] = NumberOf(*node);
    for (const Block* inner : node->blocks()) {
      CollectNumbers(*inner, numbers);
    }
  }
}

}  // namespace

template <typename Visit>
void MatchFollower::ForEachMatchedNode(const Visit& visit) {
  for (SubgraphMatch& match : matches_.matches) {
    Subgraph& subgraph = match.b.subgraph;
    visit(subgraph.start);
    visit(subgraph.end);
    visit(subgraph.base);
    for (Node*& node : subgraph.nodes) {
      visit(node);
    }
  }
}

MatchFollower::MatchFollower(MatchResult& matches) : matches_(matches) {
  for (const SubgraphMatch& match : matches.matches) {
    const torch::jit::Value* output = match.b.output;
    outputs_.push_back({output->node(), output->offset()});
  }
  ForEachMatchedNode([&](Node*& node) { numbers_[node] = NumberOf(*node); });
  for (const UnmatchedOp& op : matches.unmatched_b) {
    numbers_[op.node] = NumberOf(*op.node);
  }
}

void MatchFollower::Replaced(const Node& old, Node& now) {
  replacements_[&old] = &now;
}

bool MatchFollower::Follow(const torch::jit::Graph& graph) {
  absl::flat_hash_map<const Node*, size_t> present;
  CollectNumbers(*graph.block(), present);
  // Returns whether `node`, moved on, is in the graph.
  const auto follow = [&](Node*& node) {
    const auto replaced = replacements_.find(node);
    if (replaced != replacements_.end()) {
      node = replaced->second;
      return present.contains(node);
    }
    const auto found = present.find(node);
    return found != present.end() && found->second == numbers_.at(node);
  };
  bool all_followed = true;
  ForEachMatchedNode([&](Node*& node) { all_followed &= follow(node); });
  if (!all_followed) {
    return false;
  }
  std::vector<UnmatchedOp>& unmatched = matches_.unmatched_b;
  unmatched.erase(
      std::remove_if(unmatched.begin(), unmatched.end(),
                     [&](UnmatchedOp& op) { return !follow(op.node); }),
      unmatched.end());
  for (size_t i = 0; i < outputs_.size(); ++i) {
    const auto replaced = replacements_.find(outputs_[i].node);
    if (replaced != replacements_.end()) {
      matches_.matches[i].b.output =
          replaced->second->output(outputs_[i].offset);
    }
  }
  return true;
}

}  // namespace ns
