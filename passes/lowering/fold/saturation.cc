#include "passes/lowering/fold/saturation.h"

#include <torch/csrc/jit/ir/ir.h>

#include <cmath>
#include <limits>
#include <optional>

#include "absl/strings/string_view.h"
#include "ir/graph/node_view.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

struct Bounds {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
};

// Returns the input `name` as a number: `missing` when it is None or not there,
// nothing when only a run tells it.
std::optional<double> NumberOr(const Node& node, absl::string_view name,
                               double missing) {
  const Value* input = InputNamed(node, name);
  if (input == nullptr || input->mustBeNone()) {
    return missing;
  }
  const auto constant = ConstantOf(*input);
  return constant && constant->isScalar()
             ? std::optional<double>(constant->toScalar().toDouble())
             : std::nullopt;
}

std::optional<Bounds> BoundsOf(const Node& node) {
  Bounds bounds;
  if (node.kind() == c10::aten::relu || node.kind() == c10::aten::relu6) {
    bounds.low = 0;
    bounds.high = node.kind() == c10::aten::relu6 ? 6 : bounds.high;
    return bounds;
  }
  const bool is_clamp = node.kind() == c10::aten::clamp;
  if (!is_clamp && node.kind() != c10::aten::hardtanh) {
    return std::nullopt;
  }
  const auto low = NumberOr(node, is_clamp ? "min" : "min_val", bounds.low);
  const auto high = NumberOr(node, is_clamp ? "max" : "max_val", bounds.high);
  return low && high ? std::optional<Bounds>(Bounds{*low, *high})
                     : std::nullopt;
}

}  // namespace

bool IsAbsorbed(const Node& node, const PerTensorQParams& output) {
  const std::optional<Bounds> bounds = BoundsOf(node);
  const bool is_byte =
      output.dtype == c10::kQUInt8 || output.dtype == c10::kQInt8;
  if (!bounds || !output.scale.constant || !output.zero_point.constant ||
      !is_byte) {
    return false;
  }
  // This is how aten::quantize_per_tensor computes it: in float, and rounded
  // before the zero point is added.
  const auto quantized = [&](double number) {
    const float inverse = 1.0F / static_cast<float>(*output.scale.constant);
    return std::nearbyint(static_cast<float>(number) * inverse) +
           static_cast<float>(*output.zero_point.constant);
  };
  const float lowest = output.dtype == c10::kQUInt8 ? 0 : -128;
  return quantized(bounds->low) <= lowest &&
         quantized(bounds->high) >= lowest + 255;
}

}  // namespace ns
