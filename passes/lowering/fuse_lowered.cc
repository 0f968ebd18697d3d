#include "passes/lowering/fuse_lowered.h"

#include <torch/csrc/jit/ir/ir.h>

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ir/base/status.h"
#include "ir/graph/graph_editor.h"
#include "ir/graph/graph_walk.h"
#include "ir/graph/node_view.h"
#include "passes/analysis/value_facts.h"
#include "passes/lowering/writers.h"
#include "passes/ops/op_table.h"

namespace ns {
namespace {

using ::torch::jit::NamedValue;
using ::torch::jit::Node;
using ::torch::jit::Value;

// Whether `node` is a static layer on an ns kernel without a fused activation.
bool IsPlainLayer(const Node& node) {
  const OpRow* row = FindOp(OpName(node));
  return row != nullptr && IsLoweredOp(row->op) &&
         row->numerics == Numerics::kInt8 && row->fused_activation.empty() &&
         (row->weight_form == WeightForm::kPackedConv ||
          row->weight_form == WeightForm::kPackedLinear);
}

// Whether there is an op of `layer` with an activation: FuseSums makes layers
// that have none for a clamp.
bool HasFusedForm(const Node& layer, absl::string_view suffix) {
  return FindOp(absl::StrCat(OpName(layer), suffix)) != nullptr;
}

// Returns a bound of a clamp: `otherwise` when it is None, nothing when only a
// run tells it.
std::optional<double> Bound(const Value& value, double otherwise) {
  const std::optional<c10::IValue> constant = ConstantOf(value);
  if (!constant) {
    return std::nullopt;
  }
  return constant->isNone() ? otherwise : constant->toScalar().toDouble();
}

// Inserts the op of `layer` with `suffix` and the further arguments `bounds`,
// which takes the place of both `layer` and `activation`.
absl::Status FuseInto(GraphEditor& editor, ValueFacts& facts, Node* layer,
                      Node* activation, absl::string_view suffix,
                      const std::vector<double>& bounds) {
  // With braces, iterators would become a list of two bools.
  std::vector<NamedValue> arguments(layer->inputs().begin(),
                                    layer->inputs().end());
  arguments.insert(arguments.end(), bounds.begin(), bounds.end());
  NS_ASSIGN_OR_RETURN(
      Value * fused,
      editor.InsertBefore(*layer, absl::StrCat(OpName(*layer), suffix),
                          arguments));
  fused->setType(layer->output()->type());
  editor.Replace(*activation->output(), *fused);
  facts.Learn(*fused->node());
  facts.Forget(*activation);
  facts.Forget(*layer);
  activation->destroy();
  editor.ReplaceNode(*layer, *fused);
  return absl::OkStatus();
}

// Moves `activation` into the layer in front of it. Returns whether it did.
absl::StatusOr<bool> FuseActivation(GraphEditor& editor, ValueFacts& facts,
                                    Node* activation) {
  const bool is_relu = OpName(*activation) == "ns::fbgemm_relu";
  if (!is_relu && OpName(*activation) != "ns::fbgemm_clamp") {
    return false;
  }
  Node* layer = activation->input(0)->node();
  if (!IsPlainLayer(*layer) ||
      !HasFusedForm(*layer, is_relu ? "_relu" : "_clamp") ||
      OnlyUser(*layer->output()) != activation) {
    return false;
  }
  if (is_relu) {
    NS_RETURN_IF_ERROR(FuseInto(editor, facts, layer, activation, "_relu", {}));
    return true;
  }
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto min = Bound(*activation->input(1), -kInfinity);
  const auto max = Bound(*activation->input(2), kInfinity);
  if (!min || !max) {
    return false;
  }
  NS_RETURN_IF_ERROR(
      FuseInto(editor, facts, layer, activation, "_clamp", {*min, *max}));
  return true;
}

// Makes `quantize` requantize the quantized tensor that its input was
// dequantized from.
absl::Status SkipDequantize(GraphEditor& editor, ValueFacts& facts,
                            Node* quantize, const Writers& writers) {
  Node* dequantize = quantize->input(0)->node();
  if (OpName(*quantize) != "ns::fbgemm_quantize" ||
      OpName(*dequantize) != "ns::fbgemm_dequantize" ||
      !writers.LetWait(*dequantize, *quantize)) {
    return absl::OkStatus();
  }
  Value* quantized = dequantize->input(0);
  const auto have = facts.Sure(*quantized).qparams();
  if (have && have == facts.Sure(*quantize->output()).qparams() &&
      // An op in place may write to the copy that `quantize` makes while the
      // original is still read.
      !writers.any()) {
    editor.Replace(*quantize->output(), *quantized);
    return absl::OkStatus();
  }
  NS_ASSIGN_OR_RETURN(
      Value * requantized,
      editor.InsertBefore(*quantize, "ns::fbgemm_requantize",
                          {quantized, quantize->input(1), quantize->input(2)}));
  facts.Learn(*requantized->node());
  facts.Forget(*quantize);
  editor.ReplaceNode(*quantize, *requantized);
  return absl::OkStatus();
}

absl::Status FuseNode(GraphEditor& editor, ValueFacts& facts, Node* node,
                      const Writers& writers) {
  NS_ASSIGN_OR_RETURN(const bool is_fused, FuseActivation(editor, facts, node));
  return is_fused || node->inputs().empty()
             ? absl::OkStatus()
             : SkipDequantize(editor, facts, node, writers);
}

}  // namespace

absl::Status FuseLowered(GraphEditor& editor) {
  const Writers writers(editor.graph());
  ValueFacts facts(editor.graph());
  // The first error: no node is fused behind it.
  absl::Status status;
  ForEachNodeInnermostFirst(editor.graph().block(), [&](Node* node) {
    if (status.ok()) {
      status = FuseNode(editor, facts, node, writers);
    }
  });
  return status;
}

}  // namespace ns
