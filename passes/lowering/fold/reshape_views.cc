#include "passes/lowering/fold/reshape_views.h"

#include <torch/csrc/jit/ir/ir.h>

#include <optional>
#include <vector>

#include "ir/node_view.h"

namespace ns {
namespace {

using ::torch::jit::Block;
using ::torch::jit::Node;

// What `node`, a view, becomes; nothing for other ops.
std::optional<c10::Symbol> ReshapeFor(const Node& node) {
  if (node.kind() == c10::aten::view_as) {
    return c10::aten::reshape_as;
  }
  // Another overload reads the bits as another type.
  const bool is_view =
      node.kind() == c10::aten::view && InputNamed(node, "size") != nullptr;
  return is_view ? std::make_optional<c10::Symbol>(c10::aten::reshape)
                 : std::nullopt;
}

void ReshapeViewsIn(FoldEditor& editor, Block* block) {
  const std::vector<Node*> nodes(block->nodes().begin(), block->nodes().end());
  for (Node* node : nodes) {
    for (Block* inner : node->blocks()) {
      ReshapeViewsIn(editor, inner);
    }
    const std::optional<c10::Symbol> op = ReshapeFor(*node);
    if (!op || editor.WasDropped(node) || editor.HasWriters(*node)) {
      continue;
    }
    Node* reshape = editor.graph().create(*op, node->inputs());
    reshape->insertBefore(node)->copyMetadata(node);
    reshape->output()->setType(node->output()->type());
    editor.Replace(node->output(), reshape->output());
  }
}

}  // namespace

void ReshapeViews(FoldEditor& editor) {
  ReshapeViewsIn(editor, editor.graph().block());
}

}  // namespace ns
