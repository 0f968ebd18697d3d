#include "passes/lowering/fold/reshape_views.h"

#include <c10/core/MemoryFormat.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "ir/graph/graph_walk.h"
#include "ir/graph/node_view.h"
#include "llvm/ADT/DenseSet.h"

namespace ns {
namespace {

using ::torch::jit::Block;
using ::torch::jit::Node;
using ::torch::jit::Value;

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

// Whether `node` gives its input in another shape, as a view or as a copy,
// depending on the layout.
bool MayCopy(const Node& node) {
  return node.kind() == c10::aten::contiguous ||
         node.kind() == c10::aten::flatten ||
         node.kind() == c10::aten::reshape ||
         node.kind() == c10::aten::reshape_as;
}

// Appends the values that `value` is computed from, one op in front of it, or
// another trip of a loop before.
void AppendSources(const Value& value, std::vector<Value*>& sources) {
  Node* node = const_cast<Node*>(value.node());
  size_t index = value.offset();
  if (node->kind() == c10::prim::Param) {
    node = node->owningBlock()->owningNode();
    if (node == nullptr || node->kind() != c10::prim::Loop || index == 0) {
      return;
    }
    --index;
  }
  if (node->kind() == c10::prim::If || node->kind() == c10::prim::Loop) {
    const bool is_loop = node->kind() == c10::prim::Loop;
    for (Block* block : node->blocks()) {
      sources.push_back(block->outputs()[is_loop ? index + 1 : index]);
    }
    if (is_loop) {
      sources.push_back(node->input(index + 2));
    }
    return;
  }
  sources.insert(sources.end(), node->inputs().begin(), node->inputs().end());
}

// Returns the dequantized tensors that some of `values` are computed from with
// no other in between.
std::vector<Value*> DequantizedSources(std::vector<Value*> values) {
  llvm::DenseSet<const Value*> seen(values.begin(), values.end());
  std::vector<Value*> dequantized;
  for (size_t i = 0; i < values.size(); ++i) {
    const Node& node = *values[i]->node();
    if (node.kind() == c10::aten::contiguous) {
      continue;  // Its layout is known.
    }
    if (node.kind() == c10::aten::dequantize && IsTensor(*values[i])) {
      dequantized.push_back(values[i]);
      continue;
    }
    std::vector<Value*> sources;
    AppendSources(*values[i], sources);
    for (Value* source : sources) {
      if (seen.insert(source).second) {
        values.push_back(source);
      }
    }
  }
  return dequantized;
}

// Makes `value` contiguous for all that use it.
void MakeContiguous(FoldEditor& editor, Value& value) {
  torch::jit::Graph& graph = editor.graph();
  Node* dequantize = value.node();
  const torch::jit::WithInsertPoint behind(dequantize->next());
  Value* format =
      graph.insertConstant(static_cast<int64_t>(at::MemoryFormat::Contiguous));
  Node* copy =
      graph.insertNode(graph.create(c10::aten::contiguous, {&value, format}));
  copy->copyMetadata(dequantize);
  copy->output()->setType(value.type());
  value.replaceAllUsesAfterNodeWith(copy, copy->output());
}

}  // namespace

void ReshapeViews(FoldEditor& editor) {
  std::vector<Value*> kept;
  ForEachNodeInnermostFirst(editor.graph().block(), [&](Node* node) {
    const std::optional<c10::Symbol> op = ReshapeFor(*node);
    if (editor.WasDropped(node) || (!op && !MayCopy(*node))) {
      return;
    }
    if (editor.HasWriters(*node)) {
      kept.push_back(node->input(0));
      return;
    }
    if (!op) {
      return;
    }
    Node* reshape = editor.graph().create(*op, node->inputs());
    reshape->insertBefore(node)->copyMetadata(node);
    reshape->output()->setType(node->output()->type());
    editor.Replace(node->output(), reshape->output());
  });
  for (Value* value : DequantizedSources(std::move(kept))) {
    MakeContiguous(editor, *value);
  }
}

}  // namespace ns
