#include "passes/lowering/fold/fold_quantize.h"

#include <torch/csrc/jit/ir/ir.h>

#include <optional>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "ir/node_view.h"
#include "passes/lowering/fold/code_ops.h"
#include "passes/lowering/fold/quantized_ops.h"
#include "passes/lowering/fold/saturation.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

// A float op, and what stands between it and the quantize of its output.
struct Chain {
  Node* op;
  // The last relu, or null.
  Node* relu = nullptr;
  // Whether quantizing absorbs every relu.
  bool relu_is_absorbed = true;
};

// Whether the value that `node` gives is used by one node, of its own block.
bool HasOneUse(const Node& node) {
  const Value* output = TensorOutput(node);
  return output != nullptr && output->uses().size() == 1 &&
         output->uses()[0].user->owningBlock() == node.owningBlock();
}

// The chain that ends in `quantize`; none when it cannot be folded.
std::optional<Chain> ChainBefore(FoldEditor& editor, const Node& quantize,
                                 const CodeParameters& parameters) {
  Chain chain{quantize.input(0)->node()};
  while (true) {
    Node* node = chain.op;
    if (node->kind() == c10::prim::Param || !node->blocks().empty()) {
      return std::nullopt;
    }
    if (!HasOneUse(*node)) {
      editor.Reject(node, "its float output is used elsewhere, too");
      return std::nullopt;
    }
    if (editor.HasWriters(*node)) {
      editor.Reject(node, "an op in place writes to its tensors");
      return std::nullopt;
    }
    const bool is_absorbed = IsAbsorbed(*node, parameters);
    if (node->kind() == c10::aten::relu) {
      chain.relu = chain.relu == nullptr ? node : chain.relu;
      chain.relu_is_absorbed &= is_absorbed;
    } else if (!is_absorbed) {
      return chain;
    }
    chain.op = node->input(0)->node();
  }
}

absl::StatusOr<Value*> InsertForm(FoldEditor& editor, const QuantizedOp& row,
                                  const Chain& chain,
                                  const CodeParameters& parameters) {
  if (row.reason != nullptr && !row.reason(*chain.op).empty()) {
    return absl::FailedPreconditionError(row.reason(*chain.op));
  }
  const bool fuses = chain.relu != nullptr && row.fuses_relu;
  if (chain.relu != nullptr && !fuses && !chain.relu_is_absorbed) {
    return absl::FailedPreconditionError(
        "its quantized form does not fuse the relu behind it");
  }
  return row.form(
      {chain.op, fuses ? row.relu_op : row.op, parameters, editor.codes()});
}

// The op itself, on codes.
absl::StatusOr<Value*> InsertOnCodes(FoldEditor& editor, const CodeOp& row,
                                     Node* op,
                                     const CodeParameters& parameters) {
  if (row.reason != nullptr && !row.reason(*op).empty()) {
    return absl::FailedPreconditionError(row.reason(*op));
  }
  Value* codes = editor.codes().CodesBehind(*op->input(0));
  if (codes == nullptr) {
    return absl::FailedPreconditionError(
        "its input is not dequantized from known codes");
  }
  if (!editor.codes().Find(*codes)->Equals(parameters)) {
    return absl::FailedPreconditionError(
        "its output is quantized with other parameters than its input");
  }
  torch::jit::Graph& graph = editor.graph();
  Node* copy = graph.insertNode(graph.createClone(
      op, [&](Value* input) { return input == op->input(0) ? codes : input; }));
  copy->output()->setType(c10::TensorType::get());
  return copy->output();
}

// Where what takes the place of `chain` and `quantize` can stand: at the op, so
// that nothing of what happens behind it comes first, or where the parameters
// of its output are known. Null when something does come first.
Node* PlaceOf(const FoldEditor& editor, const Chain& chain, Node* quantize,
              const CodeParameters& parameters) {
  if (parameters.scale && parameters.zero_point) {
    return chain.op;
  }
  const bool is_written = absl::c_any_of(
      chain.op->inputs(),
      [&](const Value* input) { return editor.HasWriters(*input); });
  return is_written ? nullptr : quantize;
}

// Null when no rule takes the op.
Value* InsertQuantized(FoldEditor& editor, Node* quantize, const Chain& chain,
                       const CodeParameters& parameters) {
  Node* place = PlaceOf(editor, chain, quantize, parameters);
  if (place == nullptr) {
    editor.Reject(chain.op, "its arguments change before it is quantized");
    return nullptr;
  }
  if (const QuantizedOp* row = FindQuantizedOp(OpName(*chain.op))) {
    return editor.TryInsert(place, chain.op, [&] {
      return InsertForm(editor, *row, chain, parameters);
    });
  }
  const CodeOp* row = FindCodeOp(OpName(*chain.op));
  if (row == nullptr || row->is_exact) {
    return nullptr;
  }
  return editor.TryInsert(place, chain.op, [&]() -> absl::StatusOr<Value*> {
    if (chain.relu != nullptr && !chain.relu_is_absorbed) {
      return absl::FailedPreconditionError(
          "its quantized form does not fuse the relu behind it");
    }
    return InsertOnCodes(editor, *row, chain.op, parameters);
  });
}

// Whether the op in front of `quantize` moves or picks elements of what an op
// gives that a quantize may be folded with: then that is to be quantized.
bool CanHoist(const FoldEditor& editor, const Node& quantize) {
  const Node& node = *quantize.input(0)->node();
  const CodeOp* row = FindCodeOp(OpName(node));
  if (row == nullptr || !row->is_exact || node.kind() == c10::aten::relu ||
      node.outputs().size() != 1 || !IsTensor(*node.input(0)) ||
      !HasOneUse(node) || editor.HasWriters(node) ||
      (row->reason != nullptr && !row->reason(node).empty())) {
    return false;
  }
  const Node& source = *node.input(0)->node();
  const bool is_defined =
      absl::c_all_of(quantize.inputs().slice(1), [&](const Value* parameter) {
        return parameter->node()->isBefore(&node);
      });
  return is_defined && source.owningBlock() == node.owningBlock() &&
         MayBeQuantized(source);
}

// Quantizes the input of the op in front of `quantize`, lets that op work on
// codes, and returns the new quantize.
Node* Hoist(FoldEditor& editor, Node* quantize) {
  Node* node = quantize->input(0)->node();
  Value* input = node->input(0);
  torch::jit::Graph& graph = editor.graph();
  Node* hoisted = graph.createClone(quantize, [&](Value* value) {
    return value == node->output() ? input : value;
  });
  hoisted->insertBefore(node)->copyMetadata(quantize);
  hoisted->output()->setType(c10::TensorType::get());
  Node* on_codes = graph.createClone(node, [&](Value* value) {
    return value == input ? hoisted->output() : value;
  });
  on_codes->insertBefore(node)->copyMetadata(node);
  on_codes->output()->setType(c10::TensorType::get());
  editor.Replace(quantize->output(), on_codes->output());
  editor.codes().Learn(*hoisted);
  editor.codes().Learn(*on_codes);
  return hoisted;
}

bool Fold(FoldEditor& editor, Node* quantize,
          const CodeParameters& parameters) {
  Value* same = editor.codes().CodesBehind(*quantize->input(0));
  if (same != nullptr) {
    if (!editor.codes().Find(*same)->Equals(parameters) ||
        editor.HasWriters(*quantize)) {
      return false;
    }
    editor.Replace(quantize->output(), same);
    return true;
  }
  if (CanHoist(editor, *quantize)) {
    FoldQuantize(editor, Hoist(editor, quantize));
    return true;
  }
  const std::optional<Chain> chain = ChainBefore(editor, *quantize, parameters);
  Value* codes =
      chain ? InsertQuantized(editor, quantize, *chain, parameters) : nullptr;
  if (codes == nullptr) {
    return false;
  }
  editor.codes().Set(codes, parameters);
  editor.Replace(quantize->output(), codes);
  return true;
}

void TakeNumbers(FoldEditor& editor, Node* quantize,
                 const CodeParameters& parameters) {
  if (!parameters.scale || !parameters.zero_point ||
      !IsTensor(*quantize->input(1)) || !IsTensor(*quantize->input(2))) {
    return;
  }
  torch::jit::WithInsertPoint in_front(quantize);
  torch::jit::Graph& graph = editor.graph();
  quantize->replaceInput(1, graph.insertConstant(*parameters.scale));
  quantize->replaceInput(2, graph.insertConstant(*parameters.zero_point));
  editor.NoteChange();
}

}  // namespace

bool FoldQuantize(FoldEditor& editor, Node* quantize) {
  const auto parameters = ParametersOfQuantize(*quantize);
  if (!parameters) {
    return false;
  }
  const bool is_gone = Fold(editor, quantize, *parameters);
  if (!is_gone) {
    TakeNumbers(editor, quantize, *parameters);
  }
  return is_gone;
}

}  // namespace ns
