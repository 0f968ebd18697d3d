#include "ir/flatten/drop_exception_checks.h"

#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>

#include "ir/graph/graph_walk.h"

namespace ns {
namespace {

using ::torch::jit::Block;
using ::torch::jit::Node;

// Moves the nodes of `arm` in front of `node`, a prim::If, and removes it.
void ReplaceByArm(Node* node, Block* arm) {
  for (auto it = arm->nodes().begin(); it != arm->nodes().end();) {
    Node* inner = *it++;
    inner->moveBefore(node);
  }
  for (size_t i = 0; i < node->outputs().size(); ++i) {
    node->output(i)->replaceAllUsesWith(arm->outputs()[i]);
  }
  node->destroy();
}

}  // namespace

bool AlwaysRaises(const Block& block) {
  return std::any_of(block.nodes().begin(), block.nodes().end(),
                     [](const Node* node) {
                       return node->kind() == c10::prim::RaiseException ||
                              (node->kind() == c10::prim::If &&
                               AlwaysRaises(*node->blocks()[0]) &&
                               AlwaysRaises(*node->blocks()[1]));
                     });
}

bool DropExceptionChecks(torch::jit::Graph& graph) {
  bool changed = false;
  ForEachNodeInnermostFirst(graph.block(), [&](Node* node) {
    if (node->kind() != c10::prim::If) {
      return;
    }
    const bool first_raises = AlwaysRaises(*node->blocks()[0]);
    if (first_raises != AlwaysRaises(*node->blocks()[1])) {
      ReplaceByArm(node, node->blocks()[first_raises ? 1 : 0]);
      changed = true;
    }
  });
  return changed;
}

}  // namespace ns
