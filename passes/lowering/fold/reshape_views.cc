#include "passes/lowering/fold/reshape_views.h"

#include <torch/csrc/jit/ir/alias_analysis.h>
#include <torch/csrc/jit/ir/ir.h>

#include <memory>
#include <vector>

#include "ir/node_view.h"

namespace ns {
namespace {

using ::torch::jit::Block;
using ::torch::jit::Graph;
using ::torch::jit::Node;

// What `node`, a view, becomes; nothing for other ops.
c10::optional<c10::Symbol> ReshapeFor(const Node& node) {
  if (node.kind() == c10::aten::view_as) {
    return c10::aten::reshape_as;
  }
  // Another overload reads the bits as another type.
  const bool is_view =
      node.kind() == c10::aten::view && InputNamed(node, "size") != nullptr;
  return is_view ? c10::optional<c10::Symbol>(c10::aten::reshape)
                 : c10::nullopt;
}

void FindViews(Block* block, std::vector<Node*>& views) {
  for (Node* node : block->nodes()) {
    if (ReshapeFor(*node)) {
      views.push_back(node);
    }
    for (Block* inner : node->blocks()) {
      FindViews(inner, views);
    }
  }
}

}  // namespace

bool ReshapeViews(Graph& graph) {
  std::vector<Node*> views;
  FindViews(graph.block(), views);
  if (views.empty()) {
    return false;
  }
  // The analysis wants a pointer that it can share; the graph outlives it.
  const torch::jit::AliasDb aliases(
      std::shared_ptr<Graph>(std::shared_ptr<Graph>(), &graph));
  std::vector<Node*> silent;
  for (Node* view : views) {
    if (!aliases.hasWriters(view)) {
      silent.push_back(view);
    }
  }
  for (Node* view : silent) {
    Node* reshape = graph.create(*ReshapeFor(*view), view->inputs());
    reshape->insertBefore(view)->copyMetadata(view);
    reshape->output()->copyMetadata(view->output());
    view->output()->replaceAllUsesWith(reshape->output());
    view->destroy();
  }
  return !silent.empty();
}

}  // namespace ns
