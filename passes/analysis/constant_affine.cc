#include "passes/analysis/constant_affine.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/ir/ir.h>

#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "ir/graph/constant_argument.h"
#include "ir/graph/module_path.h"
#include "ir/graph/node_view.h"
#include "passes/ops/op_table.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

at::Tensor OneElement(double value) {
  return at::full({1}, value, at::kDouble);
}

// Returns the constant tensor that `value` is or is quantized from.
at::Tensor ConstantTensor(const Value& value) {
  const Value* source = &value;
  const OpRow* row = FindOp(OpName(*value.node()));
  if (row != nullptr && row->role == Role::kQuantize) {
    source = value.node()->input(0);
  }
  const std::optional<c10::IValue> constant = ConstantOf(*source);
  if (!constant || !constant->isTensor() || !constant->toTensor().defined()) {
    return {};
  }
  const at::Tensor tensor = constant->toTensor();
  return (tensor.is_quantized() ? tensor.dequantize() : tensor)
      .detach()
      .to(at::kDouble);
}

// Returns the constant operand as one element, or one for each channel;
// undefined where it is neither.
at::Tensor Operand(const Value& value, int spatial_dims) {
  if (const std::optional<double> number = NumberOf(value)) {
    return OneElement(*number);
  }
  const at::Tensor tensor = ConstantTensor(value);
  if (!tensor.defined() || tensor.numel() == 1) {
    return tensor.defined() ? tensor.reshape({1}) : tensor;
  }
  // The channels come before the spatial dimensions, and are the only ones of
  // more than one element.
  const int64_t channel_dim = tensor.dim() - spatial_dims - 1;
  return channel_dim >= 0 && tensor.size(channel_dim) == tensor.numel()
             ? tensor.reshape({-1})
             : at::Tensor();
}

bool IsNumber(const Node& node, const char* name, double number) {
  const Value* value = InputNamed(node, name);
  return value == nullptr || NumberOf(*value) == number;
}

}  // namespace

std::optional<ConstantAffine> ConstantAffineOf(const Node& node,
                                               int spatial_dims) {
  const OpRow* row = FindOp(OpName(node));
  if (row == nullptr || node.inputs().size() < 2) {
    return std::nullopt;
  }
  const absl::string_view family = row->family;
  const bool multiplies = family == "mul";
  const bool divides =
      family == "div" && InputNamed(node, "rounding_mode") == nullptr;
  const bool adds = family == "add";
  const bool subtracts = family == "sub";
  // Quantized ops name no alpha, and have none.
  if (!(multiplies || divides || adds || subtracts) ||
      !IsNumber(node, "alpha", 1)) {
    return std::nullopt;
  }
  const at::Tensor operand = Operand(*node.input(1), spatial_dims);
  if (!operand.defined()) {
    return std::nullopt;
  }
  const at::Tensor one = OneElement(1);
  const at::Tensor zero = OneElement(0);
  return multiplies ? ConstantAffine{operand, zero}
         : divides  ? ConstantAffine{one / operand, zero}
         : adds     ? ConstantAffine{one, operand}
                    : ConstantAffine{one, -operand};
}

std::optional<int> SpatialDimsOfConv(const Node& node) {
  const OpRow* row = FindOp(OpName(node));
  if (row == nullptr) {
    return std::nullopt;
  }
  if (row->op == "aten::_convolution") {
    const auto is_transposed = ConstantArgument(node, "transposed");
    const auto strides = ConstantArgument(node, "stride");
    return is_transposed && is_transposed->isBool() &&
                   !is_transposed->toBool() && strides && strides->isIntList()
               ? std::make_optional(
                     static_cast<int>(strides->toIntVector().size()))
               : std::nullopt;
  }
  return row->family == "conv1d"   ? std::make_optional(1)
         : row->family == "conv2d" ? std::make_optional(2)
         : row->family == "conv3d" ? std::make_optional(3)
                                   : std::nullopt;
}

std::vector<const Node*> FoldableAffines(const Subgraph& subgraph) {
  std::vector<const Node*> affines;
  if (subgraph.base == nullptr || subgraph.nodes.size() < 2) {
    return affines;
  }
  const std::optional<int> dims = SpatialDimsOfConv(*subgraph.base);
  if (!dims) {
    return affines;
  }
  const ModulePath path = ModulePathOf(*subgraph.base);
  const bool is_trained_with_norm = IsFusedModule(path.type);
  bool is_behind = false;
  for (const Node* node : subgraph.nodes) {
    if (node == subgraph.base || !node->blocks().empty()) {
      is_behind = true;
      continue;
    }
    const OpRow* row = FindOp(OpName(*node));
    const bool is_step = row != nullptr && (row->role == Role::kTransparent ||
                                            row->role == Role::kDequantize ||
                                            row->family == "batch_norm");
    if (!is_behind || is_step) {
      continue;
    }
    if ((is_trained_with_norm && ModulePathOf(*node) == path) ||
        !ConstantAffineOf(*node, *dims)) {
      return affines;
    }
    affines.push_back(node);
  }
  return affines;
}

}  // namespace ns
