#include "passes/matching/copied_matches.h"

#include <torch/csrc/jit/ir/ir.h>

#include <vector>

#include "absl/container/flat_hash_map.h"

namespace ns {
namespace {

using ::torch::jit::Block;
using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;

// Tells where the parts of a graph are in its copy.
class GraphCopy {
 public:
  GraphCopy(const Graph& graph, Graph& copy) {
    Pair(graph.block(), copy.block());
  }

  // These move a pointer into the graph to its copy; null stays null.
  void Move(Node*& node) const {
    node = node == nullptr ? nullptr : nodes_.at(node);
  }
  void Move(Block*& block) const {
    block = block == nullptr ? nullptr : blocks_.at(block);
  }
  void Move(Value*& value) const {
    if (value != nullptr) {
      value = nodes_.at(value->node())->output(value->offset());
    }
  }

  void Move(MatchedSide& side) const {
    Move(side.subgraph.start);
    Move(side.subgraph.end);
    Move(side.subgraph.base);
    for (Node*& node : side.subgraph.nodes) {
      Move(node);
    }
    Move(side.output);
    Move(side.compared_in);
  }

  void Move(std::vector<UnmatchedOp>& ops) const {
    for (UnmatchedOp& op : ops) {
      Move(op.node);
    }
  }

 private:
  void Pair(const Block* block, Block* copy) {
    blocks_[block] = copy;
    // Inputs of a block are outputs of this node.
    nodes_[block->param_node()] = copy->param_node();
    auto copied = copy->nodes().begin();
    for (const Node* node : block->nodes()) {
      nodes_[node] = *copied;
      for (size_t i = 0; i < node->blocks().size(); ++i) {
        Pair(node->blocks()[i], copied->blocks()[i]);
      }
      ++copied;
    }
  }

  absl::flat_hash_map<const Node*, Node*> nodes_;
  absl::flat_hash_map<const Block*, Block*> blocks_;
};

}  // namespace

MatchResult MatchesOfCopies(const MatchResult& matches, const ModelGraph& a,
                            const ModelGraph& copy_a, const ModelGraph& b,
                            const ModelGraph& copy_b) {
  const GraphCopy in_a(a.graph(), copy_a.graph());
  const GraphCopy in_b(b.graph(), copy_b.graph());
  MatchResult copied = matches;
  for (SubgraphMatch& match : copied.matches) {
    in_a.Move(match.a);
    in_b.Move(match.b);
  }
  in_a.Move(copied.unmatched_a);
  in_b.Move(copied.unmatched_b);
  return copied;
}

}  // namespace ns
