#include "passes/quantization/layers/rounded_weights.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/ir/ir.h>

#include <utility>

#include "ir/base/refusal.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/graph/insert_op.h"
#include "ir/graph/node_view.h"
#include "passes/ops/op_families.h"
#include "passes/ops/op_table.h"
#include "passes/quantization/layers/constant_weights.h"
#include "passes/quantization/qconfig/kernel_support.h"
#include "passes/runtime/observers/fake_quantize_weight.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;
using Entry = SharedConstants::Entry;

// An argument that is a weight or a list of parameters, and for each of these
// what takes its place; null where it stays.
struct Argument {
  size_t index = 0;
  // Of a list.
  std::vector<ConstantElement> elements;
  std::vector<const Entry*> rounded;
};

// Returns the observer of the weights, with the scales of a per-channel one
// along the dimension of output channels.
ObserverSpec SpecFor(const LayerSite& site) {
  ObserverSpec spec = site.weight;
  const OpFamily* family = FindFamily(site.family);
  if (IsPerChannel(spec) && spec.config.ch_axis == 0 && family != nullptr) {
    spec.config.ch_axis = family->facts.weight_channel_dim;
  }
  return spec;
}

// Returns the indices of the arguments that are weights.
std::vector<size_t> WeightArguments(const Node& node) {
  const OpRow& row = *FindOp(OpName(node));
  const auto first = static_cast<size_t>(row.weight_input);
  switch (row.weight_form) {
    case WeightForm::kTensorList:
      return {ArgumentIndex(node, "params")};
    case WeightForm::kTensorPair:
      return {first, first + 1};
    default:
      return {first};
  }
}

// Makes the constant of one weight. Null when it has its values already.
absl::StatusOr<const Entry*> RoundedHalf(const LayerSite& site,
                                         const at::Tensor& weight,
                                         const std::string& name) {
  if (!weight.is_floating_point()) {
    return Refusal("its weight is not of floating point");
  }
  NS_ASSIGN_OR_RETURN(const at::Tensor rounded, CatchTorchErrors([&] {
                        return FakeQuantizeWeight(weight, site.weight.config);
                      }));
  if (rounded.equal(weight)) {
    return nullptr;
  }
  return site.constants.Get("half", {weight}, site.weight, *site.node, name,
                            [&] {
                              return QuantizedConstant{rounded, {}};
                            });
}

absl::StatusOr<const Entry*> Rounded(const LayerSite& site,
                                     const ObserverSpec& spec,
                                     const at::Tensor& weight,
                                     const Value& value) {
  if (ModeOf(spec) == QuantizationMode::kHalf) {
    return RoundedHalf(site, weight, NameFor(value, "half"));
  }
  return site.constants.Get(
      "quantized", {weight}, spec, *site.node, NameFor(value, "quantized"),
      [&]() -> absl::StatusOr<QuantizedConstant> {
        NS_ASSIGN_OR_RETURN(const at::Tensor quantized,
                            QuantizedBySpec(weight, spec));
        return QuantizedConstant{quantized, {quantized}};
      });
}

absl::StatusOr<Argument> RoundedArgument(const LayerSite& site,
                                         const ObserverSpec& spec,
                                         size_t index) {
  Argument argument = {index, {}, {}};
  const Value& value = *site.node->input(index);
  if (IsTensor(value)) {
    NS_ASSIGN_OR_RETURN(const at::Tensor weight,
                        ConstantTensor(value, "its weight"));
    NS_ASSIGN_OR_RETURN(const Entry* rounded,
                        Rounded(site, spec, weight, value));
    argument.rounded.push_back(rounded);
    return argument;
  }
  NS_ASSIGN_OR_RETURN(argument.elements, ConstantElements(value));
  for (const ConstantElement& element : argument.elements) {
    const Entry* rounded = nullptr;
    const bool is_bias = element.tensor.dim() < 2;
    if (!is_bias) {
      NS_ASSIGN_OR_RETURN(rounded,
                          Rounded(site, spec, element.tensor, *element.named));
    }
    argument.rounded.push_back(rounded);
  }
  return argument;
}

// Returns the float value of `rounded`; `value` where that is null.
absl::StatusOr<Value*> FloatValue(Value* value, const Entry* rounded) {
  if (rounded == nullptr) {
    return value;
  }
  return rounded->weights.empty()
             ? rounded->value
             : InsertOp(*rounded->value->owningGraph(), "aten::dequantize",
                        {rounded->value});
}

// Inserts what takes the place of `argument`.
absl::StatusOr<Value*> InsertArgument(const Node& node,
                                      const Argument& argument) {
  Value* value = const_cast<Value*>(node.input(argument.index));
  if (IsTensor(*value)) {
    return FloatValue(value, argument.rounded.front());
  }
  Graph& graph = *value->owningGraph();
  std::vector<Value*> elements;
  for (size_t i = 0; i < argument.elements.size(); ++i) {
    const ConstantElement& element = argument.elements[i];
    const bool needs_value =
        element.value == nullptr && argument.rounded[i] == nullptr;
    NS_ASSIGN_OR_RETURN(
        Value * rounded,
        FloatValue(
            needs_value ? graph.insertConstant(element.tensor) : element.value,
            argument.rounded[i]));
    elements.push_back(rounded);
  }
  return graph.insertNode(graph.createList(c10::TensorType::get(), elements))
      ->output();
}

}  // namespace

bool HasWeightsToRound(const LayerSite& site) {
  const OpRow* row = FindOp(OpName(*site.node));
  return row != nullptr && row->weight_form != WeightForm::kNone &&
         (QuantizesWeight(site.family) ||
          row->weight_form == WeightForm::kTensorList ||
          row->weight_form == WeightForm::kTensorPair);
}

absl::StatusOr<RoundedWeights> RoundWeights(const LayerSite& site) {
  const ObserverSpec spec = SpecFor(site);
  RoundedWeights result;
  std::vector<Argument> arguments;
  for (const size_t index : WeightArguments(*site.node)) {
    NS_ASSIGN_OR_RETURN(Argument argument, RoundedArgument(site, spec, index));
    for (const Entry* rounded : argument.rounded) {
      if (rounded != nullptr) {
        result.weights.insert(result.weights.end(), rounded->weights.begin(),
                              rounded->weights.end());
        result.changed = true;
      }
    }
    arguments.push_back(std::move(argument));
  }
  if (!result.changed) {
    return result;
  }
  for (const Argument& argument : arguments) {
    NS_ASSIGN_OR_RETURN(Value * rounded, InsertFor(site, [&] {
                          return InsertArgument(*site.node, argument);
                        }));
    site.node->replaceInput(argument.index, rounded);
  }
  return result;
}

}  // namespace ns
