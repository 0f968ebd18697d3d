#include "passes/analysis/conv_numbers.h"

#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/passes/constant_propagation.h>

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "ir/base/refusal.h"
#include "ir/base/status.h"
#include "ir/graph/constant_argument.h"
#include "ir/graph/node_view.h"

namespace ns {

using ::torch::jit::Node;
using ::torch::jit::Value;
using Ints = std::vector<int64_t>;

std::optional<c10::IValue> EvaluatedConstant(const Value& value) {
  if (std::optional<c10::IValue> constant = ConstantOf(value)) {
    return constant;
  }
  const Node& node = *value.node();
  if (node.kind() == c10::prim::ListConstruct) {
    Ints numbers;
    for (const Value* element : node.inputs()) {
      const std::optional<c10::IValue> number = ConstantOf(*element);
      if (!number || !number->isInt()) {
        return std::nullopt;
      }
      numbers.push_back(number->toInt());
    }
    return c10::IValue(std::move(numbers));
  }
  if (node.kind() != c10::aten::quantize_per_tensor &&
      node.kind() != c10::aten::quantize_per_channel) {
    return std::nullopt;
  }
  const auto outputs = torch::jit::runNodeIfInputsAreConstant(&node);
  return outputs && !outputs->empty()
             ? std::optional<c10::IValue>(outputs->front())
             : std::nullopt;
}

absl::Status NotConstant(absl::string_view what) {
  return Refusal(absl::StrCat("its ", what, " is not constant"));
}

absl::StatusOr<Ints> ConvNumbers::List(absl::string_view name) const {
  const Value* input = InputNamed(node_, name);
  const auto value =
      input == nullptr ? std::nullopt : EvaluatedConstant(*input);
  if (!value || !(value->isIntList() || value->isInt())) {
    return NotConstant(name);
  }
  Ints numbers = value->isInt() ? Ints{value->toInt()} : value->toIntVector();
  if (numbers.size() == 1) {
    numbers.resize(dimensions_, numbers[0]);
  }
  if (numbers.size() != dimensions_) {
    return Refusal(absl::StrCat("its ", name, " does not fit its weight"));
  }
  return numbers;
}

absl::StatusOr<int64_t> ConvNumbers::Number(absl::string_view name) const {
  const auto value = ConstantArgument(node_, name);
  if (!value || !value->isInt()) {
    return NotConstant(name);
  }
  return value->toInt();
}

absl::StatusOr<bool> IsTransposed(const Node& node) {
  if (absl::StrContains(OpName(node), "conv_transpose")) {
    return true;
  }
  const Value* input = InputNamed(node, "transposed");
  if (input == nullptr) {
    return false;
  }
  const auto transposed = ConstantOf(*input);
  if (!transposed || !transposed->isBool()) {
    return NotConstant("kind");
  }
  return transposed->toBool();
}

absl::StatusOr<ConvGeometry> GeometryOf(const Node& layer) {
  const Value* input = InputNamed(layer, "weight");
  const auto weight =
      input == nullptr ? std::nullopt : EvaluatedConstant(*input);
  if (!weight || !weight->isTensor()) {
    return NotConstant("weight");
  }
  if (layer.kind() == c10::aten::linear) {
    return ConvGeometry();
  }
  const at::IntArrayRef sizes = weight->toTensor().sizes();
  if (InputNamed(layer, "stride") == nullptr || sizes.size() < 3) {
    return Refusal("it is no convolution");
  }
  NS_ASSIGN_OR_RETURN(const bool is_transposed, IsTransposed(layer));
  if (is_transposed) {
    return Refusal("it is a transposed convolution");
  }
  ConvGeometry geometry;
  geometry.kernel = sizes.slice(2).vec();
  const ConvNumbers numbers(layer, geometry.kernel.size());
  NS_ASSIGN_OR_RETURN(geometry.stride, numbers.List("stride"));
  NS_ASSIGN_OR_RETURN(geometry.padding, numbers.List("padding"));
  NS_ASSIGN_OR_RETURN(geometry.dilation, numbers.List("dilation"));
  return geometry;
}

}  // namespace ns
