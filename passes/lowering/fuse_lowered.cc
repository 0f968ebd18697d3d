#include "passes/lowering/fuse_lowered.h"

#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ir/node_view.h"
#include "passes/ops/op_table.h"
#include "passes/rewrite/shadow_casts.h"

namespace ns {
namespace {

using ::torch::jit::Block;
using ::torch::jit::Graph;
using ::torch::jit::NamedValue;
using ::torch::jit::Node;
using ::torch::jit::Value;

// A static layer of ours that has no activation yet.
bool IsPlainLayer(const Node& node) {
  const OpRow* row = FindOp(OpName(node));
  return row != nullptr && IsLoweredOp(row->op) &&
         row->numerics == Numerics::kInt8 && row->fused_activation.empty() &&
         (row->weight_form == WeightForm::kPackedConv ||
          row->weight_form == WeightForm::kPackedLinear);
}

// A bound of a clamp; `otherwise` where it is None. Null when only a run tells.
std::optional<double> Bound(const Value& value, double otherwise) {
  const std::optional<c10::IValue> constant = ConstantOf(value);
  if (!constant) {
    return std::nullopt;
  }
  return constant->isNone() ? otherwise : constant->toScalar().toDouble();
}

void Rename(Value* from, Value* to) {
  if (from->hasDebugName()) {
    const std::string name = from->debugName();
    from->setDebugName("");
    to->setDebugName(name);
  }
}

// The layer's op with `suffix`, in the place of `activation`.
void FuseInto(Node* layer, Node* activation, absl::string_view suffix,
              const std::vector<double>& bounds) {
  Graph& graph = *layer->owningGraph();
  const torch::jit::WithInsertPoint in_front(layer);
  // With braces, iterators would become a list of two bools.
  std::vector<NamedValue> arguments(layer->inputs().begin(),
                                    layer->inputs().end());
  arguments.insert(arguments.end(), bounds.begin(), bounds.end());
  Value* fused = graph.insert(
      c10::Symbol::fromQualString(absl::StrCat(OpName(*layer), suffix)),
      arguments);
  fused->node()->copyMetadata(layer);
  fused->setType(layer->output()->type());
  activation->output()->replaceAllUsesWith(fused);
  Rename(activation->output(), fused);
  activation->destroy();
  layer->destroy();
}

// True when `activation` went into the layer in front of it.
bool FuseActivation(Node* activation) {
  const bool is_relu = OpName(*activation) == "ns::fbgemm_relu";
  if (!is_relu && OpName(*activation) != "ns::fbgemm_clamp") {
    return false;
  }
  Node* layer = activation->input(0)->node();
  if (!IsPlainLayer(*layer) || OnlyUser(*layer->output()) != activation) {
    return false;
  }
  if (is_relu) {
    FuseInto(layer, activation, "_relu", {});
    return true;
  }
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto min = Bound(*activation->input(1), -kInfinity);
  const auto max = Bound(*activation->input(2), kInfinity);
  if (!min || !max) {
    return false;
  }
  FuseInto(layer, activation, "_clamp", {*min, *max});
  return true;
}

bool AnyWorksInPlace(const Block& block) {
  return std::any_of(block.nodes().begin(), block.nodes().end(),
                     [](const Node* node) { return WorksInPlace(*node); });
}

// Answers what may move, for one graph: most have no op that writes to its
// inputs, and everything may.
class Writers {
 public:
  explicit Writers(const Graph& graph)
      : any_(AnyWorksInPlace(*graph.block())) {}

  bool any() const { return any_; }

  // Whether what `first` reads may be read by `last` instead: nothing in
  // between writes to it.
  bool LetWait(const Node& first, const Node& last) const {
    if (!any_) {
      return true;
    }
    if (first.owningBlock() != last.owningBlock()) {
      return false;
    }
    for (const Node* node = first.next(); node != &last; node = node->next()) {
      if (WorksInPlace(*node)) {
        return false;
      }
    }
    return true;
  }

 private:
  bool any_;
};

// Takes what `quantize` quantizes from in front of the dequantize that made it.
void SkipDequantize(Node* quantize, const Writers& writers) {
  Node* dequantize = quantize->input(0)->node();
  if (OpName(*quantize) != "ns::fbgemm_quantize" ||
      OpName(*dequantize) != "ns::fbgemm_dequantize" ||
      !writers.LetWait(*dequantize, *quantize)) {
    return;
  }
  Value* codes = dequantize->input(0);
  const auto have = SureQuantizationParametersOf(*codes);
  const auto want = SureQuantizationParametersOf(*quantize->output());
  if (have && want && have->scale == want->scale &&
      have->zero_point == want->zero_point && have->dtype == want->dtype &&
      // A copy may be written to where the codes are still read.
      !writers.any()) {
    quantize->output()->replaceAllUsesWith(codes);
    return;
  }
  Graph& graph = *quantize->owningGraph();
  const torch::jit::WithInsertPoint in_front(quantize);
  Value* requantized =
      graph.insert(c10::Symbol::fromQualString("ns::fbgemm_requantize"),
                   {codes, quantize->input(1), quantize->input(2)});
  requantized->node()->copyMetadata(quantize);
  requantized->setType(quantize->output()->type());
  quantize->output()->replaceAllUsesWith(requantized);
  Rename(quantize->output(), requantized);
}

void Fuse(Block* block, const Writers& writers) {
  for (auto it = block->nodes().begin(); it != block->nodes().end();) {
    Node* node = *it;
    ++it;
    for (Block* inner : node->blocks()) {
      Fuse(inner, writers);
    }
    if (!FuseActivation(node) && !node->inputs().empty()) {
      SkipDequantize(node, writers);
    }
  }
}

// The convolution that makes summand `index` of `add` and nothing else; null
// for others.
Node* SummandLayer(Node* add, size_t index) {
  Node* layer = add->input(index)->node();
  return OpName(*layer) == "ns::fbgemm_conv2d" &&
                 OnlyUser(*layer->output()) == add
             ? layer
             : nullptr;
}

void FuseSum(Node* add, const Writers& writers) {
  const bool is_relu = OpName(*add) == "ns::fbgemm_add_relu";
  if (!is_relu && OpName(*add) != "ns::fbgemm_add") {
    return;
  }
  Node* first = SummandLayer(add, 0);
  Node* second = SummandLayer(add, 1);
  const bool takes_second =
      second != nullptr && (first == nullptr || first->isBefore(second));
  Node* layer = takes_second ? second : first;
  if (layer == nullptr || !writers.LetWait(*layer, *add)) {
    return;
  }
  Graph& graph = *add->owningGraph();
  const torch::jit::WithInsertPoint in_front(add);
  Value* sum = graph.insert(
      c10::Symbol::fromQualString(is_relu ? "ns::fbgemm_conv2d_add_relu"
                                          : "ns::fbgemm_conv2d_add"),
      {layer->input(0), layer->input(1), add->input(takes_second ? 0 : 1),
       add->input(2), add->input(3)});
  sum->node()->copyMetadata(add);
  sum->setType(add->output()->type());
  add->output()->replaceAllUsesWith(sum);
  Rename(add->output(), sum);
  add->destroy();
  layer->destroy();
}

void FuseSums(Block* block, const Writers& writers) {
  for (auto it = block->nodes().begin(); it != block->nodes().end();) {
    Node* node = *it;
    ++it;
    for (Block* inner : node->blocks()) {
      FuseSums(inner, writers);
    }
    FuseSum(node, writers);
  }
}

}  // namespace

void FuseLowered(Graph& graph) { Fuse(graph.block(), Writers(graph)); }

void FuseSums(Graph& graph) { FuseSums(graph.block(), Writers(graph)); }

}  // namespace ns
