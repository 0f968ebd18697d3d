// Visits the nodes of a graph, including those inside control flow.
#ifndef IR_GRAPH_GRAPH_WALK_H_
#define IR_GRAPH_GRAPH_WALK_H_

#include <torch/csrc/jit/ir/ir.h>

namespace ns {

// Calls `visit` with each node in the order of the graph's text: a prim::If or
// prim::Loop comes before the nodes in its blocks. `visit` may insert nodes
// (those behind the one it is given, or in its blocks, are visited, too), but
// not destroy that one.
//
// No function here visits the nodes for inputs and outputs of blocks
// (prim::Param, prim::Return), or graphs in attributes of nodes.
template <typename Visit>
void ForEachNode(torch::jit::Block* block, const Visit& visit) {
  for (torch::jit::Node* node : block->nodes()) {
    visit(node);
    for (torch::jit::Block* inner : node->blocks()) {
      ForEachNode(inner, visit);
    }
  }
}

// The same for a graph that is not changed.
template <typename Visit>
void ForEachNode(const torch::jit::Block* block, const Visit& visit) {
  for (const torch::jit::Node* node : block->nodes()) {
    visit(node);
    for (const torch::jit::Block* inner : node->blocks()) {
      ForEachNode(inner, visit);
    }
  }
}

// Calls `visit` with each node, but with the nodes in its blocks before a
// prim::If or prim::Loop itself. `visit` may insert nodes before the one that
// it is given, which are not visited, and destroy that one and any before it in
// the same block.
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

// Whether `is` holds for some node. It asks no node behind the first such one.
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

#endif  // IR_GRAPH_GRAPH_WALK_H_
