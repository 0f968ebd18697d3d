#include "passes/quantization/quantize_weights.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/ir/ir.h>

#include <optional>
#include <string>
#include <vector>

#include "ir/graph_editor.h"
#include "ir/graph_walk.h"
#include "ir/node_view.h"
#include "ir/torch_errors.h"
#include "passes/ops/op_relations.h"
#include "passes/ops/op_table.h"
#include "passes/quantization/fold_batch_norms.h"
#include "passes/quantization/kernel_support.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;

std::optional<at::Tensor> ConstantTensor(const Value* value) {
  const std::optional<c10::IValue> constant =
      value == nullptr ? std::nullopt : ConstantOf(*value);
  return constant && constant->isTensor()
             ? std::make_optional(constant->toTensor())
             : std::nullopt;
}

// Folds the batch norm behind the base op, if there is one whose numbers are
// known.
void FoldBatchNormOf(CopiedSubgraph& copy) {
  Subgraph& subgraph = copy.subgraph;
  Node* base = subgraph.base;
  if (subgraph.nodes.size() < 2 || subgraph.nodes[0] != base ||
      subgraph.nodes[1]->kind() != c10::aten::batch_norm) {
    return;
  }
  Node* batch_norm = subgraph.nodes[1];
  const Value* normalized = batch_norm->output();
  GraphEditor editor(*base->owningGraph(), /*context=*/nullptr);
  if (!FoldBatchNormInto(editor, base, batch_norm).ok()) {
    return;  // The copy keeps it.
  }
  if (copy.output == normalized) {
    copy.output = base->output();
  }
  if (subgraph.end == batch_norm) {
    subgraph.end = base;
  }
  subgraph.nodes.erase(subgraph.nodes.begin() + 1);
}

class Quantizer {
 public:
  explicit Quantizer(const WeightConfig& config) : config_(config) {}

  void Visit(Node* node) const {
    for (torch::jit::Block* block : node->blocks()) {
      ForEachNodeInnermostFirst(block, [this](Node* inner) { Own(inner); });
    }
    Own(node);
  }

 private:
  void Own(Node* node) const {
    const OpRow* row = FindOp(OpName(*node));
    if (row == nullptr || row->weight_form == WeightForm::kNone ||
        static_cast<size_t>(row->weight_input) >= node->inputs().size()) {
      return;
    }
    if (config_.dtype != WeightDtype::kHalf &&
        !QuantizesWeight(OpRelations().FamilyOf(*node))) {
      return;
    }
    Quantize(node, row->weight_input);
    if (row->weight_form == WeightForm::kTensorPair) {
      Quantize(node, row->weight_input + 1);
    }
  }

  void Quantize(Node* node, size_t index) const {
    Value* weight = node->input(index);
    if (weight->node()->mustBeNone()) {
      return;
    }
    torch::jit::WithInsertPoint before(node);
    node->replaceInput(index, IsTensor(*weight) ? QuantizedTensor(weight)
                                                : QuantizedList(weight));
  }

  Value* QuantizedTensor(Value* weight) const {
    Graph& graph = *weight->owningGraph();
    if (const auto constant = ConstantTensor(weight)) {
      return graph.insertConstant(FakeQuantizeWeight(*constant, config_));
    }
    return AtRunTime(weight);
  }

  // The parameters of a recurrent layer.
  Value* QuantizedList(Value* list) const {
    if (list->node()->kind() != c10::prim::ListConstruct ||
        IsWrittenTo(*list)) {
      return AtRunTime(list);
    }
    std::vector<Value*> elements;
    for (Value* element : list->node()->inputs()) {
      const auto constant = ConstantTensor(element);
      const bool is_bias = constant && constant->dim() < 2;
      elements.push_back(is_bias ? element : QuantizedTensor(element));
    }
    Graph& graph = *list->owningGraph();
    return graph.insertNode(graph.createList(c10::TensorType::get(), elements))
        ->output();
  }

  Value* AtRunTime(Value* weight) const {
    return weight->owningGraph()->insert(
        c10::Symbol::fromQualString("ns::fake_quantize_weight"),
        {weight, static_cast<int64_t>(config_.dtype), config_.per_channel});
  }

  const WeightConfig config_;
};

}  // namespace

absl::Status QuantizeWeights(const WeightConfig& config,
                             CopiedSubgraph& subgraph) {
  if (config.dtype == WeightDtype::kFloat) {
    return absl::OkStatus();
  }
  return CatchTorchErrors("quantizing a weight", [&] {
    FoldBatchNormOf(subgraph);
    const Quantizer quantizer(config);
    for (Node* node : subgraph.subgraph.nodes) {
      quantizer.Visit(node);
    }
  });
}

}  // namespace ns
