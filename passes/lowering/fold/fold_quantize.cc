#include "passes/lowering/fold/fold_quantize.h"

#include <torch/csrc/jit/ir/ir.h>

#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "ir/base/refusal.h"
#include "ir/base/status.h"
#include "ir/graph/node_view.h"
#include "passes/analysis/output_scale.h"
#include "passes/lowering/fold/ops_on_quantized.h"
#include "passes/lowering/fold/quantized_behind.h"
#include "passes/lowering/fold/quantized_ops.h"
#include "passes/lowering/fold/run_on_quantized.h"
#include "passes/lowering/fold/saturation.h"
#include "passes/ops/op_table.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

// A float op, and the relus and clamps between it and the quantize of its
// output.
struct Chain {
  Node* op;
  // The last relu of the chain; null when there is none.
  Node* relu = nullptr;
  // Whether quantizing absorbs every relu of the chain (saturation.h).
  bool relu_is_absorbed = true;
};

// Whether exactly one node uses the output of `node`, and is in the same block.
bool HasOneUse(const Node& node) {
  const Value* output = TensorOutput(node);
  return output != nullptr && output->uses().size() == 1 &&
         output->uses()[0].user->owningBlock() == node.owningBlock();
}

// Returns the chain that ends in `last`; nothing when it cannot be folded.
std::optional<Chain> ChainBefore(FoldEditor& editor, Node* last,
                                 const PerTensorQParams& parameters) {
  Chain chain{last};
  while (true) {
    Node* node = chain.op;
    if (node->kind() == c10::prim::Param || !node->blocks().empty()) {
      return std::nullopt;
    }
    if (!HasOneUse(*node)) {
      editor.Reject(node, Refusal("its float output is used elsewhere, too"));
      return std::nullopt;
    }
    if (editor.HasWriters(*node)) {
      editor.Reject(node, Refusal("an op in place writes to its tensors"));
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
                                  const PerTensorQParams& parameters) {
  NS_RETURN_IF_ERROR(CheckCall(row, *chain.op));
  const bool fuses = chain.relu != nullptr && row.fuses_relu;
  if (chain.relu != nullptr && !fuses && !chain.relu_is_absorbed) {
    return Refusal("its quantized form does not fuse the relu behind it");
  }
  NS_ASSIGN_OR_RETURN(Value * quantized,
                      row.form({chain.op, fuses ? row.relu_op : row.op,
                                parameters, editor.facts()}));
  return IsLoweredOp(OpName(*quantized->node())) && !editor.ns_ops()
             ? absl::StatusOr<Value*>(
                   Refusal("LibTorch has no quantized kernel for it"))
             : quantized;
}

// Whether `node`, whose first input is quantized or a list of quantized
// tensors, gives its output the qparams of that input, or of the first tensor
// in the list, once `chosen_qparams` is set.
bool HandsQParamsOn(const Node& node) {
  return !node.inputs().empty() &&
         (FindOpOnQuantized(OpName(node)) != nullptr ||
          OpName(node) == "quantized::cat" ||
          node.kind() == c10::prim::ListConstruct);
}

// Whether the qparams of `quantized` are those that a sum or product with a
// number chose, handed on by ops that keep them.
bool HasChosenQParams(const Value& quantized) {
  const Node* node = quantized.node();
  while (!ChoosesQParams(*node)) {
    if (!HandsQParamsOn(*node)) {
      return false;
    }
    node = node->input(0)->node();
  }
  return true;
}

// Returns the qparams to which `op` computes what is quantized to `parameters`
// after it. convert_fx makes torch.cat of a concatenation, which gives its
// output the qparams of its first tensor. They differ from `parameters` where a
// sum or product with a number chose them.
PerTensorQParams ComputedQParams(const FoldEditor& editor, const Node& op,
                                 const PerTensorQParams& parameters) {
  if (!editor.chosen_qparams() || op.kind() != c10::aten::cat ||
      op.input(0)->node()->kind() != c10::prim::ListConstruct ||
      op.input(0)->node()->inputs().empty()) {
    return parameters;
  }
  const Value* first =
      QuantizedBehind(editor.facts(), *op.input(0)->node()->input(0));
  return first != nullptr && HasChosenQParams(*first)
             ? *editor.facts().Sure(*first).qparams()
             : parameters;
}

// Whether `quantized`, dequantized and quantized to `parameters`, is to stay as
// it is.
bool IsQuantizedTo(const FoldEditor& editor, const Value& quantized,
                   const PerTensorQParams& parameters) {
  return editor.facts().Sure(quantized).qparams() == parameters ||
         (editor.chosen_qparams() && HasChosenQParams(quantized));
}

// Inserts a sum or product with a number that chooses its qparams, for a chain
// of the op and at most a relu.
absl::StatusOr<Value*> InsertChoosing(FoldEditor& editor,
                                      const QuantizedOp& row,
                                      const Chain& chain, const Node& user,
                                      const PerTensorQParams& parameters) {
  NS_RETURN_IF_ERROR(CheckCall(row, *chain.op));
  const Node* last = chain.relu == nullptr ? chain.op : chain.relu;
  if (user.input(0)->node() != last ||
      (chain.relu != nullptr && chain.relu->input(0)->node() != chain.op)) {
    return Refusal("its quantized form does not fuse the clamp behind it");
  }
  return InsertWithNumber({chain.op,
                           chain.relu == nullptr ? row.op : row.relu_op,
                           parameters, editor.facts()});
}

// Inserts the op itself, with the quantized tensor as its first input.
absl::StatusOr<Value*> InsertOnQuantized(FoldEditor& editor,
                                         const OpOnQuantized& row, Node* op,
                                         const PerTensorQParams& parameters) {
  NS_RETURN_IF_ERROR(CheckCall(row, *op));
  Value* quantized = QuantizedBehind(editor.facts(), *op->input(0));
  if (quantized == nullptr) {
    return Refusal("its input is not dequantized from known quantized values");
  }
  if (!IsQuantizedTo(editor, *quantized, parameters)) {
    return Refusal(
        "its output is quantized with other parameters than its input");
  }
  torch::jit::Graph& graph = editor.graph();
  Node* copy = graph.insertNode(graph.createClone(op, [&](Value* input) {
    return input == op->input(0) ? quantized : input;
  }));
  copy->output()->setType(c10::TensorType::get());
  return copy->output();
}

// Returns the node in front of which the replacement of `chain` is inserted.
// With constant qparams that is the op of the chain, so that no later op runs
// before the replacement. Qparams that are values of the graph are known in
// front of `user`. Null when an op in place may write to the op's inputs before
// that.
Node* PlaceOf(const FoldEditor& editor, const Chain& chain, Node* user,
              const PerTensorQParams& parameters) {
  if (parameters.scale.constant && parameters.zero_point.constant) {
    return chain.op;
  }
  const bool is_written = absl::c_any_of(
      chain.op->inputs(),
      [&](const Value* input) { return editor.facts().HasWriters(*input); });
  return is_written ? nullptr : user;
}

// Inserts the op that computes the output of `chain` for `user` as a quantized
// tensor, and returns that. Null when no rule folds the op.
Value* InsertQuantized(FoldEditor& editor, Node* user, const Chain& chain,
                       const PerTensorQParams& parameters) {
  Node* place = PlaceOf(editor, chain, user, parameters);
  if (place == nullptr) {
    editor.Reject(chain.op,
                  Refusal("its arguments change before it is quantized"));
    return nullptr;
  }
  if (const QuantizedOp* row = FindQuantizedOp(OpName(*chain.op))) {
    return editor.TryInsert(place, chain.op, [&] {
      return editor.chosen_qparams() && TakesNumber(*chain.op)
                 ? InsertChoosing(editor, *row, chain, *user, parameters)
                 : InsertForm(editor, *row, chain, parameters);
    });
  }
  const OpOnQuantized* row = FindOpOnQuantized(OpName(*chain.op));
  if (row == nullptr || row->is_exact) {
    return nullptr;
  }
  return editor.TryInsert(place, chain.op, [&]() -> absl::StatusOr<Value*> {
    if (chain.relu != nullptr && !chain.relu_is_absorbed) {
      return Refusal("its quantized form does not fuse the relu behind it");
    }
    return InsertOnQuantized(editor, *row, chain.op, parameters);
  });
}

// Whether `node`, somewhere in front of `quantize`, only moves or picks
// elements of its input, and could do the same with a quantized input.
bool MovesElements(const FoldEditor& editor, const Node& node,
                   const Node& quantize) {
  const OpOnQuantized* row = FindOpOnQuantized(OpName(node));
  return row != nullptr && row->is_exact && node.kind() != c10::aten::relu &&
         node.outputs().size() == 1 && IsTensor(*node.input(0)) &&
         HasOneUse(node) && !editor.HasWriters(node) &&
         editor.CheckAllowed(node).ok() && CheckCall(*row, node).ok() &&
         (row->ns_op.empty() ||
          (editor.ns_ops() && ConstantDtype(quantize) == c10::kQUInt8)) &&
         absl::c_all_of(quantize.inputs().slice(1), [&](const Value* argument) {
           return argument->node()->isBefore(&node);
         });
}

// Returns the ops right in front of `quantize` that move elements, the last one
// first.
std::vector<Node*> MoversBefore(const FoldEditor& editor,
                                const Node& quantize) {
  std::vector<Node*> movers;
  for (Node* node = quantize.input(0)->node();
       MovesElements(editor, *node, quantize); node = node->input(0)->node()) {
    movers.push_back(node);
  }
  return movers;
}

// Inserts copies of `movers` that run on `quantized`, the quantized input of
// the mover that runs first. Returns the quantized output of the one that runs
// last.
Value* RunMoversOnQuantized(FoldEditor& editor,
                            const std::vector<Node*>& movers,
                            Value* quantized) {
  for (auto it = movers.rbegin(); it != movers.rend(); ++it) {
    Node* on_quantized = CloneOnQuantized(editor, *it, quantized);
    on_quantized->insertBefore(*it)->copyMetadata(*it);
    editor.NoteReplaced(**it, *on_quantized);
    quantized = on_quantized->output();
    editor.facts().Learn(*on_quantized);
  }
  return quantized;
}

// Whether nothing but relus and clamps that have no effect is between the
// quantize behind `chain` and values that are quantized in the same way.
bool IsQuantizedAlready(const FoldEditor& editor, const Chain& chain,
                        const PerTensorQParams& parameters) {
  const Value* quantized =
      chain.op->kind() == c10::aten::dequantize && chain.relu_is_absorbed
          ? QuantizedBehind(editor.facts(), *chain.op->output())
          : nullptr;
  return quantized != nullptr && IsQuantizedTo(editor, *quantized, parameters);
}

bool Fold(FoldEditor& editor, Node* quantize,
          const PerTensorQParams& parameters) {
  Value* same = QuantizedBehind(editor.facts(), *quantize->input(0));
  if (same != nullptr) {
    if (!IsQuantizedTo(editor, *same, parameters) ||
        editor.HasWriters(*quantize)) {
      return false;
    }
    editor.Replace(quantize->output(), same);
    return true;
  }
  const std::vector<Node*> movers = MoversBefore(editor, *quantize);
  Node* first = movers.empty() ? quantize : movers.back();
  const std::optional<Chain> chain =
      ChainBefore(editor, first->input(0)->node(), parameters);
  if (chain && IsQuantizedAlready(editor, *chain, parameters) &&
      !editor.HasWriters(*quantize)) {
    editor.Replace(quantize->output(),
                   RunMoversOnQuantized(
                       editor, movers,
                       QuantizedBehind(editor.facts(), *chain->op->output())));
    return true;
  }
  if (!chain) {
    return false;
  }
  const PerTensorQParams computed =
      ComputedQParams(editor, *chain->op, parameters);
  Value* quantized = InsertQuantized(editor, first, *chain, computed);
  if (quantized == nullptr) {
    return false;
  }
  if (!HasChosenQParams(*quantized) ||
      OutputScaleArgument(*quantized->node()) >= 0) {
    editor.facts().Set(*quantized, computed);
  }
  editor.NoteReplaced(*chain->op, *quantized->node());
  if (chain->relu != nullptr) {
    editor.NoteReplaced(*chain->relu, *quantized->node());
  }
  editor.Replace(quantize->output(),
                 RunMoversOnQuantized(editor, movers, quantized));
  return true;
}

void TakeNumbers(FoldEditor& editor, Node* quantize,
                 const PerTensorQParams& parameters) {
  if (!parameters.scale.constant || !parameters.zero_point.constant ||
      !IsTensor(*quantize->input(1)) || !IsTensor(*quantize->input(2))) {
    return;
  }
  torch::jit::WithInsertPoint in_front(quantize);
  torch::jit::Graph& graph = editor.graph();
  quantize->replaceInput(1, graph.insertConstant(*parameters.scale.constant));
  quantize->replaceInput(2,
                         graph.insertConstant(*parameters.zero_point.constant));
  editor.NoteChange();
}

}  // namespace

bool FoldQuantize(FoldEditor& editor, Node* quantize) {
  // SinkQuantize may have just put it into an arm of a prim::If.
  editor.facts().Learn(*quantize);
  const auto parameters = editor.facts().Sure(*quantize->output()).qparams();
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
