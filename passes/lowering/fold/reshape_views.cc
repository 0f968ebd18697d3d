#include "passes/lowering/fold/reshape_views.h"

#include <torch/csrc/jit/ir/ir.h>

#include <optional>
#include <vector>

#include "ir/graph_walk.h"
#include "ir/node_view.h"

namespace ns {
namespace {

using ::torch::jit::Block;
using ::torch::jit::Node;

// Returns the op that takes the place of `node`, a view; nothing for other ops.
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

}  // namespace

void ReshapeViews(FoldEditor& editor) {
  ForEachNodeInnermostFirst(editor.graph().block(), [&](Node* node) {
    const std::optional<c10::Symbol> op = ReshapeFor(*node);
    if (!op || editor.WasDropped(node) || editor.HasWriters(*node)) {
      return;
    }
    Node* reshape = editor.graph().create(*op, node->inputs());
    reshape->insertBefore(node)->copyMetadata(node);
    reshape->output()->setType(node->output()->type());
    editor.Replace(node->output(), reshape->output());
  });
}

}  // namespace ns
