#include "passes/lowering/fold/sink_quantize.h"

#include <torch/csrc/jit/ir/ir.h>

#include "absl/algorithm/container.h"
#include "ir/graph/node_view.h"
#include "passes/lowering/fold/quantized_ops.h"

namespace ns {
namespace {

using ::torch::jit::Block;
using ::torch::jit::Node;
using ::torch::jit::Value;

// Returns the quantize of `output` that can move into the arms, or null.
Node* QuantizeOf(const FoldEditor& editor, const Value& output) {
  Node* quantize = OnlyUser(output);
  if (quantize == nullptr ||
      quantize->kind() != c10::aten::quantize_per_tensor ||
      quantize->input(0) != &output || !IsTensor(output) ||
      editor.HasWriters(*quantize)) {
    return nullptr;
  }
  const Node* conditional = output.node();
  const bool can_move =
      absl::c_all_of(quantize->inputs().slice(1), [&](const Value* parameter) {
        return parameter->node()->isBefore(conditional);
      });
  const bool is_worth_it =
      absl::c_any_of(conditional->blocks(), [&](const Block* block) {
        return MayBeQuantized(*block->outputs()[output.offset()]->node());
      });
  return can_move && is_worth_it ? quantize : nullptr;
}

void Sink(FoldEditor& editor, Node* quantize, Value* output) {
  for (Block* block : output->node()->blocks()) {
    Value* value = block->outputs()[output->offset()];
    Node* copy = editor.graph().createClone(quantize, [&](Value* input) {
      return input == output ? value : input;
    });
    copy->insertBefore(block->return_node())->copyMetadata(quantize);
    copy->output()->setType(c10::TensorType::get());
    block->replaceOutput(output->offset(), copy->output());
  }
  output->setType(c10::TensorType::get());
  editor.Replace(quantize->output(), output);
}

}  // namespace

bool SinkQuantize(FoldEditor& editor, Node* node) {
  if (node->kind() != c10::prim::If) {
    return false;
  }
  bool moved = false;
  for (Value* output : node->outputs()) {
    if (Node* quantize = QuantizeOf(editor, *output)) {
      Sink(editor, quantize, output);
      moved = true;
    }
  }
  return moved;
}

}  // namespace ns
