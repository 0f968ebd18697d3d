#include "passes/matching/matches/match_follower.h"

#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "ir/graph/graph_walk.h"
#include "llvm/ADT/DenseMap.h"

namespace ns {
namespace {

using ::torch::jit::Block;
using ::torch::jit::Node;

size_t NumberOf(const Node& node) {
  return node.outputs().empty() ? 0 : node.outputs()[0]->unique();
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
    outputs_.push_back({const_cast<Node*>(output->node()), output->offset(),
                        output->unique()});
    numbers_[output->node()] = NumberOf(*output->node());
  }
  ForEachMatchedNode([&](Node*& node) { numbers_[node] = NumberOf(*node); });
  for (const UnmatchedOp& op : matches.unmatched_b) {
    numbers_[op.node] = NumberOf(*op.node);
  }
}

void MatchFollower::Replaced(const torch::jit::Value& old,
                             torch::jit::Value& now) {
  replacements_[NumberOf(*old.node())] = {now.node(), NumberOf(*now.node())};
  replaced_outputs_[old.unique()] = {now.node(), now.offset(), now.unique()};
}

bool MatchFollower::Follow(const torch::jit::Graph& graph) {
  llvm::DenseMap<const Node*, size_t> present;
  const Block* block = graph.block();
  ForEachNode(block,
              [&](const Node* node) { present[node] = NumberOf(*node); });
  // `follow` moves `node` on to its replacement and returns whether that is in
  // the graph.
  const auto follow = [&](Node*& node) {
    size_t number = numbers_.lookup(node);
    for (auto it = replacements_.find(number); it != replacements_.end();
         it = replacements_.find(number)) {
      std::tie(node, number) = std::pair(it->second.node, it->second.number);
    }
    const auto found = present.find(node);
    return found != present.end() && found->second == number;
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
    MatchedSide& side = matches_.matches[i].b;
    Output output = outputs_[i];
    for (auto it = replaced_outputs_.find(output.number);
         it != replaced_outputs_.end();
         it = replaced_outputs_.find(output.number)) {
      output = it->second;
    }
    if (output.number != outputs_[i].number) {
      const bool exists =
          present.count(output.node) &&
          output.offset < output.node->outputs().size() &&
          output.node->output(output.offset)->unique() == output.number;
      if (!exists) {
        return false;
      }
      side.output = output.node->output(output.offset);
    }
    // One op may replace several.
    auto& nodes = side.subgraph.nodes;
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  }
  return true;
}

}  // namespace ns
