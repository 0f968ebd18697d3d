#include "passes/lowering/fold/run_on_quantized.h"

#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "ir/base/refusal.h"
#include "ir/base/status.h"
#include "ir/graph/layer_id.h"
#include "ir/graph/node_view.h"
#include "passes/lowering/fold/ops_on_quantized.h"
#include "passes/lowering/fold/quantized_behind.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

bool TakesListApart(const Node& user) {
  return user.kind() == c10::prim::ListUnpack ||
         user.kind() == c10::aten::__getitem__;
}

// Returns the quantized tensors that the first input of `node` is dequantized
// from: one, or one for each element of a list. Empty when a tensor is not
// dequantized, and when their qparams differ.
std::vector<Value*> QuantizedFirstInput(const FoldEditor& editor,
                                        const Node& node) {
  const Value* input = node.input(0);
  std::vector<Value*> quantized;
  if (!IsTensorList(*input)) {
    quantized.push_back(QuantizedBehind(editor.facts(), *input));
  } else if (input->node()->kind() == c10::prim::ListConstruct &&
             !IsWrittenTo(*input)) {
    for (const Value* element : input->node()->inputs()) {
      quantized.push_back(QuantizedBehind(editor.facts(), *element));
    }
  }
  const bool all_known = absl::c_all_of(
      quantized, [](const Value* value) { return value != nullptr; });
  if (!all_known || quantized.empty()) {
    return {};
  }
  const auto first = editor.facts().Sure(*quantized[0]).qparams();
  const bool all_same = absl::c_all_of(quantized, [&](const Value* value) {
    return editor.facts().Sure(*value).qparams() == first;
  });
  return all_same ? quantized : std::vector<Value*>();
}

// Returns a refusal when `node` cannot take `quantized`, the tensor that its
// first input is dequantized from.
absl::Status CheckTakesQuantized(const FoldEditor& editor,
                                 const OpOnQuantized& row, const Node& node,
                                 const Value& quantized) {
  NS_RETURN_IF_ERROR(editor.CheckAllowed(node));
  NS_RETURN_IF_ERROR(CheckCall(row, node));
  if (editor.HasWriters(node)) {
    return Refusal("an op in place writes to its tensors");
  }
  if (!row.ns_op.empty() && !editor.ns_ops()) {
    return Refusal("LibTorch has no quantized kernel for it");
  }
  if (!row.ns_op.empty() &&
      !editor.facts().Sure(quantized).dtype.Is(c10::kQUInt8)) {
    return Refusal("its kernel takes quint8 values alone");
  }
  for (const Value* output : node.outputs()) {
    if (!IsTensor(*output) &&
        !(IsTensorList(*output) && !IsWrittenTo(*output) &&
          absl::c_all_of(output->uses(), [](const torch::jit::Use& use) {
            return TakesListApart(*use.user);
          }))) {
      return Refusal("its list of tensors is used as a whole");
    }
  }
  return absl::OkStatus();
}

// Inserts `node` behind `place`, with the module path of `original`.
Node* InsertBehind(Node* place, Node* node, Node* original) {
  return node->insertAfter(place)->copyMetadata(original);
}

// Makes the users of the outputs of `node` use the dequantized outputs of
// `on_quantized`, which is in front of them all, and drops `node`.
void ReplaceOutputs(FoldEditor& editor, Node* node, Node* on_quantized) {
  editor.facts().Learn(*on_quantized);
  for (size_t i = 0; i < node->outputs().size(); ++i) {
    if (!node->output(i)->hasUses()) {
      continue;
    }
    Value* quantized = on_quantized->output(i);
    if (IsTensor(*node->output(i))) {
      Node* dequantize =
          editor.graph().create(c10::aten::dequantize, {quantized});
      InsertBehind(on_quantized, dequantize, node);
      editor.facts().Learn(*dequantize);
      editor.Replace(node->output(i), dequantize->output());
      continue;
    }
    const auto uses = node->output(i)->uses();
    for (const torch::jit::Use& use : uses) {
      Node* part = CloneOnQuantized(editor, use.user, quantized);
      InsertBehind(use.user, part, use.user);
      ReplaceOutputs(editor, use.user, part);
    }
  }
  editor.NoteReplaced(*node, *on_quantized);
  editor.DropUnused(node);
}

}  // namespace

Node* CloneOnQuantized(FoldEditor& editor, Node* node, Value* quantized) {
  const Value* input = node->input(0);
  Node* clone = editor.graph().createClone(
      node, [&](Value* value) { return value == input ? quantized : value; });
  const OpOnQuantized* row = FindOpOnQuantized(OpName(*node));
  if (row != nullptr && !row->ns_op.empty()) {
    Node* ns_op = editor.graph().create(
        c10::Symbol::fromQualString(std::string(row->ns_op)), clone->inputs(),
        node->outputs().size());
    clone->destroy();
    clone = ns_op;
  }
  for (size_t i = 0; i < clone->outputs().size(); ++i) {
    if (IsTensor(*node->output(i))) {
      clone->output(i)->setType(c10::TensorType::get());
    }
  }
  return clone;
}

bool RunOnQuantized(FoldEditor& editor, Node* node) {
  const OpOnQuantized* row = FindOpOnQuantized(OpName(*node));
  if (row == nullptr || !row->is_exact || node->inputs().empty()) {
    return false;
  }
  std::vector<Value*> quantized = QuantizedFirstInput(editor, *node);
  if (quantized.empty()) {
    return false;
  }
  const absl::Status takes_quantized =
      CheckTakesQuantized(editor, *row, *node, *quantized.front());
  if (!takes_quantized.ok()) {
    editor.Reject(node, takes_quantized);
    return false;
  }
  torch::jit::Graph& graph = editor.graph();
  torch::jit::WithInsertPoint in_front(node);
  Value* input = quantized[0];
  if (IsTensorList(*node->input(0))) {
    Node* list = graph.createList(c10::TensorType::get(), quantized);
    input = graph.insertNode(list)->copyMetadata(node)->output();
    HandOnLayerId(*node, *list);
    editor.facts().Learn(*list);
  }
  Node* on_quantized = graph.insertNode(CloneOnQuantized(editor, node, input))
                           ->copyMetadata(node);
  ReplaceOutputs(editor, node, on_quantized);
  return true;
}

bool AskQuantizedForShape(FoldEditor& editor, Node* node) {
  if (!AsksForShape(OpName(*node)) || !IsTensor(*node->input(0)) ||
      editor.HasWriters(*node)) {
    return false;
  }
  Value* quantized = QuantizedBehind(editor.facts(), *node->input(0));
  if (quantized == nullptr) {
    return false;
  }
  Node* dequantize = node->input(0)->node();
  node->replaceInput(0, quantized);
  editor.NoteChange();
  editor.DropUnused(dequantize);
  return true;
}

}  // namespace ns
