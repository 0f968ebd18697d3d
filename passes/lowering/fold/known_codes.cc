#include "passes/lowering/fold/known_codes.h"

#include <ATen/core/Tensor.h>
#include <torch/csrc/jit/ir/ir.h>

#include <optional>

#include "absl/algorithm/container.h"
#include "ir/node_view.h"
#include "passes/analysis/output_scale.h"
#include "passes/lowering/fold/code_ops.h"
#include "passes/ops/op_table.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

// The number that `value` always is.
std::optional<c10::Scalar> ConstantNumber(const Value& value) {
  const std::optional<c10::IValue> constant = ConstantOf(value);
  if (!constant) {
    return std::nullopt;
  }
  if (constant->isTensor()) {
    const at::Tensor& tensor = constant->toTensor();
    return tensor.defined() && tensor.numel() == 1
               ? std::optional<c10::Scalar>(tensor.item())
               : std::nullopt;
  }
  return constant->isScalar() ? std::optional<c10::Scalar>(constant->toScalar())
                              : std::nullopt;
}

CodeParameters ParametersFrom(Value* scale, Value* zero_point,
                              c10::ScalarType dtype) {
  CodeParameters parameters;
  if (const auto number = ConstantNumber(*scale)) {
    parameters.scale = number->toDouble();
  } else {
    parameters.scale_value = scale;
  }
  if (const auto number = ConstantNumber(*zero_point)) {
    parameters.zero_point = number->toLong();
  } else {
    parameters.zero_point_value = zero_point;
  }
  parameters.dtype = dtype;
  return parameters;
}

// What LibTorch's kernels give these, whatever their input's parameters are.
std::optional<CodeParameters> FixedParameters(const Node& node) {
  const std::optional<FixedOutput> fixed = FixedOutputOf(OpName(node));
  if (!fixed) {
    return std::nullopt;
  }
  CodeParameters parameters;
  parameters.scale = fixed->scale;
  parameters.zero_point = fixed->zero_point;
  return parameters;
}

// Packed layers give codes of this type, and take no others.
bool IsPackedLayer(const Node& node) {
  const OpRow* row = FindOp(OpName(node));
  return row != nullptr && row->numerics == Numerics::kInt8 &&
         (row->weight_form == WeightForm::kPackedConv ||
          row->weight_form == WeightForm::kPackedLinear);
}

// The first input of `node`; of a list that the graph writes down, its first
// element.
const Value* FirstTensor(const Node& node) {
  const Node* list = node.input(0)->node();
  return list->kind() == c10::prim::ListConstruct && !list->inputs().empty()
             ? list->input(0)
             : node.input(0);
}

bool HandsOn(const Node& node) {
  return node.kind() == c10::prim::ListUnpack ||
         node.kind() == c10::aten::__getitem__ || KeepsCodes(OpName(node));
}

}  // namespace

bool CodeParameters::Equals(const CodeParameters& other) const {
  return scale == other.scale && scale_value == other.scale_value &&
         zero_point == other.zero_point &&
         zero_point_value == other.zero_point_value && dtype == other.dtype;
}

std::optional<CodeParameters> ParametersOfQuantize(const Node& quantize) {
  const std::optional<c10::ScalarType> dtype = ConstantDtype(quantize);
  const bool is_of_tensor = quantize.kind() == c10::aten::quantize_per_tensor &&
                            IsTensor(*quantize.input(0));
  if (!is_of_tensor || !dtype) {
    return std::nullopt;
  }
  return ParametersFrom(const_cast<Value*>(quantize.input(1)),
                        const_cast<Value*>(quantize.input(2)), *dtype);
}

void KnownCodes::LearnList(const Node& node) {
  if (node.inputs().empty() || IsWrittenTo(*node.output())) {
    return;
  }
  const auto first = Find(*node.input(0));
  if (first && absl::c_all_of(node.inputs(), [&](const Value* element) {
        const auto parameters = Find(*element);
        return parameters && parameters->Equals(*first);
      })) {
    Set(node.output(), *first);
  }
}

void KnownCodes::LearnIf(const Node& node) {
  for (const Value* output : node.outputs()) {
    std::optional<CodeParameters> known;
    bool agree = true;
    for (const torch::jit::Block* block : node.blocks()) {
      const Value& value = *block->outputs()[output->offset()];
      // An arm that raises an exception gives nothing.
      if (value.node()->kind() == c10::prim::Uninitialized) {
        continue;
      }
      const auto parameters = Find(value);
      agree &= parameters && (!known || known->Equals(*parameters));
      known = parameters;
    }
    if (agree && known) {
      Set(output, *known);
    }
  }
}

void KnownCodes::Learn(const Node& node) {
  if (node.kind() == c10::prim::ListConstruct) {
    LearnList(node);
    return;
  }
  if (node.kind() == c10::prim::If) {
    LearnIf(node);
    return;
  }
  const OpRow* row = FindOp(OpName(node));
  if (row != nullptr && row->role == Role::kQuantize) {
    if (const auto parameters = ParametersOfQuantize(node)) {
      Set(node.output(), *parameters);
    }
    return;
  }
  if (node.inputs().empty()) {
    return;
  }
  const auto of_input = Find(*node.input(0));
  const auto of_tensor = Find(*FirstTensor(node));
  const int scale = OutputScaleInput(node);
  if (scale >= 0 && (IsPackedLayer(node) || of_tensor)) {
    Set(node.output(0),
        ParametersFrom(const_cast<Value*>(node.input(scale)),
                       const_cast<Value*>(node.input(scale + 1)),
                       IsPackedLayer(node) ? c10::kQUInt8 : of_tensor->dtype));
  } else if (of_input && of_input->dtype == c10::kQUInt8 &&
             FixedOutputOf(OpName(node))) {
    Set(node.output(), *FixedParameters(node));
  } else if (of_input && HandsOn(node)) {
    for (const Value* output : node.outputs()) {
      if (IsTensor(*output) || IsTensorList(*output)) {
        Set(output, *of_input);
      }
    }
  }
}

void KnownCodes::Set(const Value* value, const CodeParameters& parameters) {
  parameters_[value] = parameters;
}

std::optional<CodeParameters> KnownCodes::Find(const Value& value) const {
  const auto found = parameters_.find(&value);
  if (found != parameters_.end()) {
    return found->second;
  }
  const std::optional<c10::IValue> constant = ConstantOf(value);
  if (!constant || !constant->isTensor() || !constant->toTensor().defined() ||
      !constant->toTensor().is_quantized() ||
      constant->toTensor().qscheme() != c10::kPerTensorAffine) {
    return std::nullopt;
  }
  CodeParameters parameters;
  parameters.scale = constant->toTensor().q_scale();
  parameters.zero_point = constant->toTensor().q_zero_point();
  parameters.dtype = constant->toTensor().scalar_type();
  return parameters;
}

Value* KnownCodes::CodesBehind(const Value& value) const {
  const Node* node = value.node();
  const bool is_dequantized = node->kind() == c10::aten::dequantize &&
                              node->inputs().size() == 1 &&
                              IsTensor(*node->input(0)) && IsTensor(value);
  return is_dequantized && Find(*node->input(0))
             ? const_cast<Value*>(node->input(0))
             : nullptr;
}

}  // namespace ns
