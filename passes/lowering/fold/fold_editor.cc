#include "passes/lowering/fold/fold_editor.h"

#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "ir/base/refusal.h"
#include "ir/graph/insert_op.h"
#include "ir/graph/layer_id.h"
#include "ir/graph/node_view.h"
#include "passes/ops/op_table.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;

bool CanDrop(const Node& node) {
  return node.kind() != c10::prim::Param && node.blocks().empty() &&
         !node.hasSideEffects() && !WorksInPlace(node) && !node.hasUses();
}

}  // namespace

FoldEditor::FoldEditor(Graph& graph, PassContext& context, Allowed allowed)
    : graph_(graph),
      context_(context),
      allowed_(std::move(allowed)),
      editor_(graph, &context),
      facts_(graph) {}

absl::Status FoldEditor::CheckAllowed(const Node& node) const {
  if (allowed_.float_nodes.contains(&node)) {
    return Refusal("it is to stay in float");
  }
  const OpRow* row = FindOp(OpName(node));
  return row != nullptr &&
                 absl::c_linear_search(allowed_.float_families, row->family)
             ? Refusal("its family is to stay in float")
             : absl::OkStatus();
}

FoldEditor::~FoldEditor() {
  for (Node* node : dropped_) {
    node->destroy();
  }
}

Value* FoldEditor::TryInsert(
    Node* place, Node* original,
    const std::function<absl::StatusOr<Value*>()>& insert) {
  const absl::Status may_change = CheckAllowed(*original);
  if (!may_change.ok()) {
    Reject(original, may_change);
    return nullptr;
  }
  Node* before = place->prev();
  const absl::StatusOr<Value*> value = InsertOrTakeBack(*place, insert);
  if (!value.ok()) {
    Reject(original, RefusalOf("its quantized form fails", value.status()));
    return nullptr;
  }
  for (Node* node = before->next(); node != place; node = node->next()) {
    node->copyMetadata(original);
    HandOnLayerId(*original, *node);
    facts_.Learn(*node);
  }
  return *value;
}

void FoldEditor::Replace(Value* value, Value* replacement) {
  changed_ = true;
  facts_.Replace(*value, *replacement);
  editor_.Replace(*value, *replacement);
  DropUnused(value->node());
}

void FoldEditor::NoteReplaced(const Node& node, Node& now) {
  const size_t count = std::min(node.outputs().size(), now.outputs().size());
  for (size_t i = 0; i < count; ++i) {
    context_.Replaced(*node.output(i), *now.output(i));
  }
}

void FoldEditor::DropUnused(Node* node) {
  std::vector<Node*> candidates = {node};
  while (!candidates.empty()) {
    Node* candidate = candidates.back();
    candidates.pop_back();
    if (dropped_.contains(candidate) || !CanDrop(*candidate)) {
      continue;
    }
    dropped_.insert(candidate);
    for (Value* input : candidate->inputs()) {
      candidates.push_back(input->node());
    }
    candidate->removeAllInputs();
  }
}

bool FoldEditor::HasWriters(const Node& node) const {
  const auto has_writers = [&](const Value* value) {
    const bool is_tensor = IsTensor(*value) || IsTensorList(*value);
    return (is_tensor && facts_.HasWriters(*value)) ||
           (value->node()->kind() == c10::aten::dequantize &&
            facts_.HasWriters(*value->node()->input(0)));
  };
  return absl::c_any_of(node.outputs(), has_writers) ||
         absl::c_any_of(node.inputs(), [&](const Value* input) {
           return has_writers(input) ||
                  (input->node()->kind() == c10::prim::ListConstruct &&
                   absl::c_any_of(input->node()->inputs(), has_writers));
         });
}

void FoldEditor::Reject(const Node* node, absl::Status refusal) {
  rejected_[node] = std::move(refusal);
}

absl::Status FoldEditor::Rejection(const Node* node) const {
  const auto found = rejected_.find(node);
  return found == rejected_.end() ? absl::OkStatus() : found->second;
}

}  // namespace ns
