#include "passes/quantization/convert/converted_weights.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include "ir/base/refusal.h"
#include "ir/base/status.h"
#include "ir/graph/insert_op.h"
#include "passes/quantization/layers/bias_correction.h"
#include "passes/quantization/layers/constant_weights.h"
#include "passes/quantization/layers/describe_weights.h"
#include "passes/runtime/observers/observer_config.h"
#include "passes/runtime/observers/observer_options.h"

namespace ns {

using ::torch::jit::Node;
using ::torch::jit::Value;

absl::Status ConvertedWeights::Quantize(size_t layer) {
  const PreparedLayer& record = prepared_.layers[layer];
  if (record.weight.empty()) {
    return absl::OkStatus();
  }
  const auto mark = marks_.find(static_cast<int64_t>(layer));
  if (mark == marks_.end()) {
    return Refusal("its weight is gone from the graph");
  }
  NS_ASSIGN_OR_RETURN(const ObserverConfig config,
                      ParseObserverConfig(record.weight));
  NS_ASSIGN_OR_RETURN(const at::Tensor weight,
                      ConstantTensor(*mark->second->input(0), "its weight"));
  NS_ASSIGN_OR_RETURN(at::Tensor quantized, cache_.Quantized(weight, config));
  const auto given = corrections_.weights.find(record.name);
  if (given != corrections_.weights.end() &&
      given->second.sizes() == quantized.sizes()) {
    quantized = given->second;
  }
  weights_[mark->first] = {std::move(quantized), config.qscheme};
  return absl::OkStatus();
}

const at::Tensor* ConvertedWeights::WeightOf(size_t layer) const {
  const auto found = weights_.find(static_cast<int64_t>(layer));
  return found == weights_.end() ? nullptr : &found->second.first;
}

absl::Status ConvertedWeights::Convert() {
  for (const auto& [layer, mark] : marks_) {
    NS_RETURN_IF_ERROR(ConvertMark(layer, mark));
  }
  return absl::OkStatus();
}

absl::Status ConvertedWeights::ConvertMark(int64_t layer, Node* mark) {
  Value* result = mark->input(0);
  const auto found = weights_.find(layer);
  if (found != weights_.end()) {
    NS_RETURN_IF_ERROR(CorrectBias(layer, *mark, found->second.first));
    const torch::jit::WithInsertPoint in_front(mark);
    Value* quantized = graph_.insertConstant(found->second.first);
    NS_ASSIGN_OR_RETURN(result,
                        InsertOp(graph_, "aten::dequantize", {quantized}));
    result->node()->copyMetadata(mark);
  }
  mark->output()->replaceAllUsesWith(result);
  mark->destroy();
  return absl::OkStatus();
}

// `mark` stands in front of the layer, which uses it.
absl::Status ConvertedWeights::CorrectBias(int64_t layer, const Node& mark,
                                           const at::Tensor& quantized) {
  if (mark.output()->uses().size() != 1) {
    return absl::OkStatus();
  }
  NS_ASSIGN_OR_RETURN(const at::Tensor shift,
                      ShiftOf(layer, *mark.input(0), quantized));
  if (!shift.defined()) {
    return absl::OkStatus();
  }
  NS_ASSIGN_OR_RETURN(const bool is_corrected,
                      ShiftBias(shift, *mark.output()->uses()[0].user));
  if (is_corrected) {
    corrected_.insert(layer);
  }
  return absl::OkStatus();
}

// What is added to the bias of a layer; undefined for nothing.
absl::StatusOr<at::Tensor> ConvertedWeights::ShiftOf(
    int64_t layer, const Value& weight, const at::Tensor& quantized) const {
  const std::string& name = prepared_.layers[static_cast<size_t>(layer)].name;
  const auto given = corrections_.bias_shifts.find(name);
  if (given != corrections_.bias_shifts.end()) {
    return given->second.numel() == quantized.size(0) ? given->second
                                                      : at::Tensor();
  }
  const auto means = means_.find(MeansAttribute(layer));
  if (means == means_.end() || corrections_.corrects_bias == nullptr ||
      !corrections_.corrects_bias(name)) {
    return at::Tensor();
  }
  NS_ASSIGN_OR_RETURN(const at::Tensor in_float,
                      ConstantTensor(weight, "its weight"));
  return BiasShift(in_float, quantized.dequantize(), means->second->Mean());
}

void ConvertedWeights::Describe(size_t layer,
                                LayerQuantization& described) const {
  const auto index = static_cast<int64_t>(layer);
  const auto weight = weights_.find(index);
  if (weight != weights_.end()) {
    described.weight =
        DescribeWeights({weight->second.first}, weight->second.second);
  }
  described.has_corrected_bias = corrected_.count(index) != 0;
}

}  // namespace ns
