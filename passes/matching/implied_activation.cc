#include "passes/matching/implied_activation.h"

#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "absl/strings/string_view.h"
#include "ir/graph/constant_argument.h"
#include "ir/graph/node_view.h"
#include "passes/ops/op_table.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Range {
  double low;
  double high;
};

std::optional<double> ConstantNumber(const Value* value) {
  const auto constant = value == nullptr ? std::nullopt : ConstantOf(*value);
  return constant && constant->isScalar()
             ? std::optional(constant->toScalar().toDouble())
             : std::nullopt;
}

// Returns the bound of a clamp that its schema calls by one of `names`:
// `unbounded` where it has none, and nothing where only a run tells.
std::optional<double> BoundOf(const Node& clamp,
                              const std::array<absl::string_view, 2>& names,
                              double unbounded) {
  for (const absl::string_view name : names) {
    if (const Value* bound = InputNamed(clamp, name)) {
      const auto constant = ConstantOf(*bound);
      return constant && constant->isNone() ? std::optional(unbounded)
                                            : ConstantNumber(bound);
    }
  }
  return unbounded;
}

// Returns the range of the values that `activation` does not change, if it is
// known.
std::optional<Range> FixedPoints(const Node& activation) {
  const OpRow* row = FindOp(OpName(activation));
  if (row == nullptr) {
    return std::nullopt;
  }
  if (row->family == "relu") {
    return Range{0, kInfinity};
  }
  if (row->family != "hardtanh") {
    return std::nullopt;
  }
  if (row->op == "aten::relu6" || row->op == "quantized::relu6") {
    return Range{0, 6};
  }
  const auto low = BoundOf(activation, {"min_val", "min"}, -kInfinity);
  const auto high = BoundOf(activation, {"max_val", "max"}, kInfinity);
  return low && high ? std::optional(Range{*low, *high}) : std::nullopt;
}

// Returns the dtype of the quantized output of `op`, which is that of the first
// quantized value that it was computed from, where that is made by a quantize
// node; kQUInt8 where that is not known.
at::ScalarType OutputDtype(const Node& op) {
  for (const Node* node = &op; node != nullptr && !node->inputs().empty();
       node = node->input(0)->node()) {
    const auto constant = ConstantArgument(*node, "dtype");
    if (constant && constant->isInt()) {
      return static_cast<at::ScalarType>(constant->toInt());
    }
    const OpRow* row = FindOp(OpName(*node));
    if (row == nullptr || row->numerics != Numerics::kInt8) {
      break;
    }
  }
  return at::kQUInt8;
}

// Returns the range of the quantized output of `op`, if it is constant.
std::optional<Range> OutputRange(const Node& op) {
  const OpRow* row = FindOp(OpName(op));
  const at::ScalarType dtype = OutputDtype(op);
  if (row == nullptr || row->numerics != Numerics::kInt8 ||
      (dtype != at::kQUInt8 && dtype != at::kQInt8)) {
    return std::nullopt;
  }
  const double lowest = dtype == at::kQInt8 ? -128 : 0;
  for (const absl::string_view name : {"output_scale", "Y_scale_i", "scale"}) {
    const Value* scale = InputNamed(op, name);
    if (scale == nullptr) {
      continue;
    }
    // In all schemas of such ops the zero point comes next.
    for (size_t i = 0; i + 1 < op.inputs().size(); ++i) {
      if (op.input(i) != scale) {
        continue;
      }
      const auto step = ConstantNumber(scale);
      const auto zero_point = ConstantNumber(op.input(i + 1));
      return step && zero_point
                 ? std::optional(Range{*step * (lowest - *zero_point),
                                       *step * (lowest + 255 - *zero_point)})
                 : std::nullopt;
    }
  }
  return std::nullopt;
}

// Whether `range` is in `kept`. The zero point of a range is rounded to a whole
// step, so its ends are exact to half a step, which rounding the scale to float
// may exceed by a trifle: the range of a clamp to -0.6 and 0.6 has a zero point
// of 127.5, rounded to 128.
bool IsWithin(const Range& range, const Range& kept) {
  const double tolerance = (range.high - range.low) / 255 * 0.505;
  return range.low >= kept.low - tolerance &&
         range.high <= kept.high + tolerance;
}

// Returns the op before `op`, or before the clamps that it is one of: they keep
// the scale and zero point that it has made.
const Node& MakerOfRange(const Node& op) {
  const Node* maker = &op;
  while (IsClamp(*maker)) {
    maker = maker->input(0)->node();
  }
  return *maker;
}

}  // namespace

bool IsClamp(const Node& node) { return FixedPoints(node).has_value(); }

bool IsImpliedByRange(const Node& activation, const Node& op) {
  const std::optional<Range> kept = FixedPoints(activation);
  const std::optional<Range> range = kept ? OutputRange(op) : std::nullopt;
  return range && IsWithin(*range, *kept);
}

bool HasRangeOf(const Node& op, const Node& activation) {
  const std::optional<Range> kept = FixedPoints(activation);
  const std::optional<Range> range =
      kept ? OutputRange(MakerOfRange(op)) : std::nullopt;
  return range && IsWithin(*range, {std::min(0.0, kept->low),
                                    std::max(0.0, kept->high)});
}

}  // namespace ns
