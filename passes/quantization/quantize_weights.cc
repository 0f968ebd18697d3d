#include "passes/quantization/quantize_weights.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "ir/node_view.h"
#include "ir/torch_errors.h"
#include "passes/analysis/subgraph_weights.h"
#include "passes/ops/op_relations.h"
#include "passes/ops/op_table.h"
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

void ReplaceByConstant(Node* node, const Value* input,
                       const c10::IValue& constant) {
  torch::jit::WithInsertPoint before(node);
  Value* replacement = node->owningGraph()->insertConstant(constant);
  for (size_t i = 0; i < node->inputs().size(); ++i) {
    if (node->input(i) == input) {
      node->replaceInput(i, replacement);
      return;
    }
  }
}

// The constants with which aten::batch_norm is called, its input aside.
struct BatchNorm {
  at::Tensor mean;
  at::Tensor variance;
  c10::optional<at::Tensor> weight;
  c10::optional<at::Tensor> bias;
  double eps = 0;
};

std::optional<BatchNorm> ConstantsOfBatchNorm(const Node& node) {
  const auto mean = ConstantTensor(InputNamed(node, "running_mean"));
  const auto variance = ConstantTensor(InputNamed(node, "running_var"));
  const auto eps = ConstantOf(*InputNamed(node, "eps"));
  if (!mean || !variance || !eps || !eps->isDouble()) {
    return std::nullopt;
  }
  BatchNorm norm;
  norm.mean = *mean;
  norm.variance = *variance;
  norm.eps = eps->toDouble();
  if (const auto weight = ConstantTensor(InputNamed(node, "weight"))) {
    norm.weight = *weight;
  }
  if (const auto bias = ConstantTensor(InputNamed(node, "bias"))) {
    norm.bias = *bias;
  }
  return norm;
}

// What the bias of an op becomes: a row of one sample that the norm is given.
at::Tensor FoldIntoBias(const at::Tensor& bias, const BatchNorm& norm) {
  return at::batch_norm(bias.unsqueeze(0), norm.weight, norm.bias, norm.mean,
                        norm.variance, /*training=*/false, /*momentum=*/0,
                        norm.eps, /*cudnn_enabled=*/false)
      .squeeze(0);
}

void RemoveBatchNorm(Node* batch_norm, CopiedSubgraph& copy) {
  Subgraph& subgraph = copy.subgraph;
  Value* replacement = subgraph.base->output();
  if (copy.output == batch_norm->output()) {
    copy.output = replacement;
  }
  if (subgraph.end == batch_norm) {
    subgraph.end = subgraph.base;
  }
  subgraph.nodes.erase(
      std::find(subgraph.nodes.begin(), subgraph.nodes.end(), batch_norm));
  batch_norm->output()->replaceAllUsesWith(replacement);
  batch_norm->destroy();
}

// Folds the batch norm behind the base op, if there is one whose numbers are
// known.
void FoldBatchNormOf(CopiedSubgraph& copy) {
  const Subgraph& subgraph = copy.subgraph;
  Node* base = subgraph.base;
  if (subgraph.nodes.size() < 2 || subgraph.nodes[0] != base ||
      subgraph.nodes[1]->kind() != c10::aten::batch_norm) {
    return;
  }
  Node* batch_norm = subgraph.nodes[1];
  const Value* weight_input = InputNamed(*base, "weight");
  const Value* bias_input = InputNamed(*base, "bias");
  const std::optional<at::Tensor> weight = ConstantTensor(weight_input);
  const std::optional<BatchNorm> norm = ConstantsOfBatchNorm(*batch_norm);
  if (!weight || !norm || bias_input == nullptr || !ConstantOf(*bias_input)) {
    return;
  }
  const at::Tensor bias =
      ConstantTensor(bias_input).value_or(at::zeros_like(norm->mean));
  ReplaceByConstant(base, weight_input,
                    FoldBatchNorm(*weight, *base, *batch_norm));
  ReplaceByConstant(base, bias_input, FoldIntoBias(bias, *norm));
  RemoveBatchNorm(batch_norm, copy);
}

class Quantizer {
 public:
  explicit Quantizer(const WeightConfig& config) : config_(config) {}

  void Visit(Node* node) const {
    for (torch::jit::Block* block : node->blocks()) {
      for (Node* inner : block->nodes()) {
        Visit(inner);
      }
    }
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

 private:
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
