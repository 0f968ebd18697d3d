// Visits the nodes of a graph, those inside control flow too.
#ifndef IR_GRAPH_WALK_H_
#define IR_GRAPH_WALK_H_

#include <torch/csrc/jit/ir/ir.h>

namespace ns {

// Calls `visit` with each node in the order of the graph's text: a prim::If or
// prim::Loop comes before what its blocks hold.
template <typename Visit>
void ForEachNode(torch::jit::Block* block, const Visit& visit) {
  for (torch::jit::Node* node : block->nodes()) {
    visit(node);
    for (torch::jit::Block* inner : node->blocks()) {
      ForEachNode(inner, visit);
    }
  }
}

template <typename Visit>
void ForEachNode(const torch::jit::Block* block, const Visit& visit) {
  for (const torch::jit::Node* node : block->nodes()) {
    visit(node);
    for (const torch::jit::Block* inner : node->blocks()) {
      ForEachNode(inner, visit);
    }
  }
}

// As ForEachNode, with what the blocks of a node hold in front of the node.
// `visit` may insert nodes before the one that it is given, and destroy that
// and any before it.
template <typename Visit>
void ForEachNodeInnermostFirst(torch::jit::Block* block, const Visit& visit) {
  for (auto it = block->nodes().begin(); it != block->nodes().end();) {
    torch::jit::Node* node = *it;
    ++it;
    for (torch::jit::Block* inner : node->blocks()) {
      ForEachNodeInnermostFirst(inner, visit);
    }
    visit(node);
  }
}

// Whether `is` holds for some node; asks none behind the first such one.
template <typename Predicate>
bool AnyNode(const torch::jit::Block* block, const Predicate& is) {
  for (const torch::jit::Node* node : block->nodes()) {
    if (is(node)) {
      return true;
    }
    for (const torch::jit::Block* inner : node->blocks()) {
      if (AnyNode(inner, is)) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace ns

#endif  // IR_GRAPH_WALK_H_
