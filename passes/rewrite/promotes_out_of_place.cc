#include "passes/rewrite/promotes_out_of_place.h"

#include <ATen/core/Tensor.h>
#include <c10/core/ScalarType.h>
#include <torch/csrc/jit/ir/ir.h>

#include <optional>

#include "absl/algorithm/container.h"
#include "ir/graph/constant_argument.h"
#include "ir/graph/node_view.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

bool IsWide(at::ScalarType type) {
  return type == at::kDouble || at::isComplexType(type);
}

// A tensor without dimensions does not widen others.
bool IsWide(const at::Tensor& tensor) {
  return tensor.defined() && tensor.dim() > 0 && IsWide(tensor.scalar_type());
}

// Returns the type that `node`, such as a cast, is told to give.
std::optional<at::ScalarType> TypeAskedOf(const Node& node) {
  const auto constant = ConstantArgument(node, "dtype");
  return constant && constant->isInt()
             ? std::optional(static_cast<at::ScalarType>(constant->toInt()))
             : std::nullopt;
}

// Whether `value` is a wide constant or made wide, or a few ops, such as
// slices, compute it from such a value as their first input.
bool IsOfWideValue(const Value& value) {
  constexpr int kMostOps = 8;
  const Value* source = &value;
  for (int i = 0; i < kMostOps && IsTensor(*source); ++i) {
    if (const std::optional<c10::IValue> constant = ConstantOf(*source)) {
      return constant->isTensor() && IsWide(constant->toTensor());
    }
    const Node& node = *source->node();
    if (const std::optional<at::ScalarType> type = TypeAskedOf(node)) {
      return IsWide(*type);
    }
    if (node.inputs().empty() || node.kind() == c10::aten::to) {
      return false;
    }
    source = node.input(0);
  }
  return false;
}

}  // namespace

bool PromotesOutOfPlace(const Node& node) {
  return node.inputs().size() > 1 &&
         absl::c_any_of(node.inputs().slice(1), [](const Value* operand) {
           return IsOfWideValue(*operand);
         });
}

}  // namespace ns
