#include "passes/quantization/layers/quantize_weights.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/ir/ir.h>

#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/graph/graph_editor.h"
#include "ir/graph/graph_walk.h"
#include "ir/graph/insert_op.h"
#include "ir/graph/node_view.h"
#include "passes/ops/op_relations.h"
#include "passes/ops/op_table.h"
#include "passes/quantization/layers/fold_batch_norms.h"
#include "passes/quantization/qconfig/kernel_support.h"
#include "passes/runtime/observers/fake_quantize_weight.h"

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

// Folds the batch norm behind the base op, if there is one and its numbers are
// constant.
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
    return;  // The norm stays in the copy.
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
  explicit Quantizer(const ObserverConfig& config) : config_(config) {}

  absl::Status Visit(Node* node) const {
    absl::Status status;
    for (torch::jit::Block* block : node->blocks()) {
      ForEachNodeInnermostFirst(block, [&](Node* inner) {
        status = status.ok() ? Own(inner) : status;
      });
    }
    return status.ok() ? Own(node) : status;
  }

 private:
  absl::Status Own(Node* node) const {
    const OpRow* row = FindOp(OpName(*node));
    if (row == nullptr || row->weight_form == WeightForm::kNone ||
        static_cast<size_t>(row->weight_input) >= node->inputs().size()) {
      return absl::OkStatus();
    }
    if (ModeOf(config_) != QuantizationMode::kHalf &&
        !QuantizesWeight(OpRelations().FamilyOf(*node))) {
      return absl::OkStatus();
    }
    NS_RETURN_IF_ERROR(Quantize(node, row->weight_input));
    return row->weight_form == WeightForm::kTensorPair
               ? Quantize(node, row->weight_input + 1)
               : absl::OkStatus();
  }

  absl::Status Quantize(Node* node, size_t index) const {
    Value* weight = node->input(index);
    if (weight->node()->mustBeNone()) {
      return absl::OkStatus();
    }
    torch::jit::WithInsertPoint before(node);
    NS_ASSIGN_OR_RETURN(Value * quantized, IsTensor(*weight)
                                               ? QuantizedTensor(weight)
                                               : QuantizedList(weight));
    node->replaceInput(index, quantized);
    return absl::OkStatus();
  }

  absl::StatusOr<Value*> QuantizedTensor(Value* weight) const {
    const auto constant = ConstantTensor(weight);
    if (!constant) {
      return AtRunTime(weight);
    }
    return CatchTorchErrors([&] {
      return weight->owningGraph()->insertConstant(
          FakeQuantizeWeight(*constant, config_));
    });
  }

  // Returns the parameter list of a recurrent layer with quantized weights.
  absl::StatusOr<Value*> QuantizedList(Value* list) const {
    if (list->node()->kind() != c10::prim::ListConstruct ||
        IsWrittenTo(*list)) {
      return AtRunTime(list);
    }
    // Whether a value that is computed is a bias, only a run tells.
    if (absl::c_any_of(list->node()->inputs(), [](const Value* element) {
          return !ConstantTensor(element);
        })) {
      return AtRunTime(list);
    }
    std::vector<Value*> elements;
    for (Value* element : list->node()->inputs()) {
      const bool is_bias = ConstantTensor(element)->dim() < 2;
      if (!is_bias) {
        NS_ASSIGN_OR_RETURN(element, QuantizedTensor(element));
      }
      elements.push_back(element);
    }
    Graph& graph = *list->owningGraph();
    return graph.insertNode(graph.createList(c10::TensorType::get(), elements))
        ->output();
  }

  absl::StatusOr<Value*> AtRunTime(Value* weight) const {
    return InsertOp(*weight->owningGraph(), "ns::fake_quantize_weight",
                    {weight, ObserverArgument(config_)});
  }

  const ObserverConfig config_;
};

}  // namespace

absl::Status QuantizeWeights(const ObserverSpec& weight,
                             CopiedSubgraph& subgraph) {
  switch (ModeOf(weight)) {
    case QuantizationMode::kFloat:
    case QuantizationMode::kDynamic:
      return absl::OkStatus();
    case QuantizationMode::kStatic:
    case QuantizationMode::kHalf:
      break;
  }
  FoldBatchNormOf(subgraph);
  const Quantizer quantizer(weight.config);
  for (Node* node : subgraph.subgraph.nodes) {
    NS_RETURN_IF_ERROR(Annotated("quantizing a weight", quantizer.Visit(node)));
  }
  return absl::OkStatus();
}

}  // namespace ns
