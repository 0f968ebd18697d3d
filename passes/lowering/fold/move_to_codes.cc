#include "passes/lowering/fold/move_to_codes.h"

#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "ir/node_view.h"
#include "ir/refusal.h"
#include "ir/status.h"
#include "passes/lowering/fold/code_ops.h"
#include "passes/lowering/fold/codes_behind.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

bool TakesListApart(const Node& user) {
  return user.kind() == c10::prim::ListUnpack ||
         user.kind() == c10::aten::__getitem__;
}

// The codes that the first input is dequantized from, one value or the elements
// of a list; none when it is not, or they are quantized differently.
std::vector<Value*> CodesOfFirstInput(const FoldEditor& editor,
                                      const Node& node) {
  const Value* input = node.input(0);
  std::vector<Value*> codes;
  if (!IsTensorList(*input)) {
    codes.push_back(CodesBehind(editor.facts(), *input));
  } else if (input->node()->kind() == c10::prim::ListConstruct &&
             !IsWrittenTo(*input)) {
    for (const Value* element : input->node()->inputs()) {
      codes.push_back(CodesBehind(editor.facts(), *element));
    }
  }
  const bool all_known = absl::c_all_of(
      codes, [](const Value* value) { return value != nullptr; });
  if (!all_known || codes.empty()) {
    return {};
  }
  const auto first = editor.facts().Sure(*codes[0]).qparams();
  const bool all_same = absl::c_all_of(codes, [&](const Value* value) {
    return editor.facts().Sure(*value).qparams() == first;
  });
  return all_same ? codes : std::vector<Value*>();
}

// Whether `node` can be given `codes`, what its first input is dequantized
// from.
absl::Status CheckTakesCodes(const FoldEditor& editor, const CodeOp& row,
                             const Node& node, const Value& codes) {
  NS_RETURN_IF_ERROR(CheckCall(row, node));
  if (editor.HasWriters(node)) {
    return Refusal("an op in place writes to its tensors");
  }
  if (!row.ns_op.empty() &&
      !editor.facts().Sure(codes).dtype.Is(c10::kQUInt8)) {
    return Refusal("its kernel takes quint8 codes alone");
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

// Puts `node` behind `place`, with the module path of `original`.
Node* InsertBehind(Node* place, Node* node, Node* original) {
  return node->insertAfter(place)->copyMetadata(original);
}

// Lets the users of what `node` gives use what `on_codes`, which stands in
// front of them all, gives, dequantized. Drops `node`.
void ReplaceOutputs(FoldEditor& editor, Node* node, Node* on_codes) {
  editor.facts().Learn(*on_codes);
  for (size_t i = 0; i < node->outputs().size(); ++i) {
    if (!node->output(i)->hasUses()) {
      continue;
    }
    Value* codes = on_codes->output(i);
    if (IsTensor(*node->output(i))) {
      Node* dequantize = editor.graph().create(c10::aten::dequantize, {codes});
      InsertBehind(on_codes, dequantize, node);
      editor.facts().Learn(*dequantize);
      editor.Replace(node->output(i), dequantize->output());
      continue;
    }
    const auto uses = node->output(i)->uses();
    for (const torch::jit::Use& use : uses) {
      Node* part = CloneOnCodes(editor, use.user, codes);
      InsertBehind(use.user, part, use.user);
      ReplaceOutputs(editor, use.user, part);
    }
  }
  editor.NoteReplaced(*node, *on_codes);
  editor.DropUnused(node);
}

}  // namespace

Node* CloneOnCodes(FoldEditor& editor, Node* node, Value* codes) {
  const Value* input = node->input(0);
  Node* clone = editor.graph().createClone(
      node, [&](Value* value) { return value == input ? codes : value; });
  const CodeOp* row = FindCodeOp(OpName(*node));
  if (row != nullptr && !row->ns_op.empty()) {
    Node* of_ours = editor.graph().create(
        c10::Symbol::fromQualString(std::string(row->ns_op)), clone->inputs(),
        node->outputs().size());
    clone->destroy();
    clone = of_ours;
  }
  for (size_t i = 0; i < clone->outputs().size(); ++i) {
    if (IsTensor(*node->output(i))) {
      clone->output(i)->setType(c10::TensorType::get());
    }
  }
  return clone;
}

bool MoveToCodes(FoldEditor& editor, Node* node) {
  const CodeOp* row = FindCodeOp(OpName(*node));
  if (row == nullptr || !row->is_exact || node->inputs().empty()) {
    return false;
  }
  std::vector<Value*> codes = CodesOfFirstInput(editor, *node);
  if (codes.empty()) {
    return false;
  }
  const absl::Status takes_codes =
      CheckTakesCodes(editor, *row, *node, *codes.front());
  if (!takes_codes.ok()) {
    editor.Reject(node, takes_codes);
    return false;
  }
  torch::jit::Graph& graph = editor.graph();
  torch::jit::WithInsertPoint in_front(node);
  Value* input = codes[0];
  if (IsTensorList(*node->input(0))) {
    Node* list = graph.createList(c10::TensorType::get(), codes);
    input = graph.insertNode(list)->copyMetadata(node)->output();
    editor.facts().Learn(*list);
  }
  Node* on_codes =
      graph.insertNode(CloneOnCodes(editor, node, input))->copyMetadata(node);
  ReplaceOutputs(editor, node, on_codes);
  return true;
}

bool AskCodesForShape(FoldEditor& editor, Node* node) {
  if (!AsksForShape(OpName(*node)) || !IsTensor(*node->input(0)) ||
      editor.HasWriters(*node)) {
    return false;
  }
  Value* codes = CodesBehind(editor.facts(), *node->input(0));
  if (codes == nullptr) {
    return false;
  }
  Node* dequantize = node->input(0)->node();
  node->replaceInput(0, codes);
  editor.NoteChange();
  editor.DropUnused(dequantize);
  return true;
}

}  // namespace ns
