#include "passes/rewrite/promotes_out_of_place.h"

#include <ATen/core/Tensor.h>
#include <torch/csrc/jit/ir/ir.h>

#include <optional>

#include "absl/algorithm/container.h"
#include "ir/node_view.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

// A tensor without dimensions does not widen others.
bool IsWide(const at::Tensor& tensor) {
  return tensor.defined() && tensor.dim() > 0 &&
         (tensor.scalar_type() == at::kDouble || tensor.is_complex());
}

// Whether `value` is a wide constant, or a few ops, such as slices, compute it
// from one as their first input.
bool ComesFromWideConstant(const Value& value) {
  constexpr int kMostOps = 8;
  const Value* source = &value;
  for (int i = 0; i < kMostOps && IsTensor(*source); ++i) {
    if (const std::optional<c10::IValue> constant = ConstantOf(*source)) {
      return constant->isTensor() && IsWide(constant->toTensor());
    }
    const Node& node = *source->node();
    // A cast makes another type of it.
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
           return ComesFromWideConstant(*operand);
         });
}

}  // namespace ns
