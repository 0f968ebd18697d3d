#include "ir/graph/graph_editor.h"

#include <string>

#include "ir/base/status.h"
#include "ir/graph/insert_op.h"
#include "ir/graph/pass_context.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

void TakeName(Value& from, Value& to) {
  if (from.hasDebugName() && !to.hasDebugName()) {
    // Two values of one graph cannot have the same name.
    const std::string name = from.debugName();
    from.setDebugName("");
    to.setDebugName(name);
  }
}

}  // namespace

absl::StatusOr<Value*> GraphEditor::InsertBefore(
    Node& place, absl::string_view op,
    absl::Span<const torch::jit::NamedValue> arguments,
    absl::Span<const torch::jit::NamedValue> named) {
  const torch::jit::WithInsertPoint in_front(&place);
  const Node* before = place.prev();
  NS_ASSIGN_OR_RETURN(Value * output, InsertOp(graph_, op, arguments, named));
  // These are the call and the constants that it takes.
  for (Node* node = place.prev(); node != before; node = node->prev()) {
    node->copyMetadata(&place);
  }
  return output;
}

Node* GraphEditor::InsertBefore(Node& place, Node* node, const Node& original) {
  return node->insertBefore(&place)->copyMetadata(const_cast<Node*>(&original));
}

void GraphEditor::Replace(Value& value, Value& replacement) {
  value.replaceAllUsesWith(&replacement);
  TakeName(value, replacement);
  const bool are_of_nodes = value.node()->kind() != c10::prim::Param &&
                            replacement.node()->kind() != c10::prim::Param;
  if (context_ != nullptr && are_of_nodes) {
    context_->Replaced(value, replacement);
  }
}

void GraphEditor::ReplaceNode(Node& node, Value& replacement) {
  replacement.node()->copyMetadata(&node);
  replacement.setType(node.output()->type());
  Replace(*node.output(), replacement);
  node.destroy();
}

}  // namespace ns
