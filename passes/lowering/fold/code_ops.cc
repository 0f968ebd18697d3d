#include "passes/lowering/fold/code_ops.h"

#include <ATen/Context.h>
#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "absl/algorithm/container.h"
#include "ir/node_view.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

bool IsNoneOrMissing(const Node& node, absl::string_view name) {
  const Value* input = InputNamed(node, name);
  return input == nullptr || input->mustBeNone();
}

// The constant bool, or int, of an input; nothing when it is not constant.
std::optional<int64_t> ConstantInt(const Node& node, absl::string_view name) {
  const Value* input = InputNamed(node, name);
  const auto constant = input == nullptr ? std::nullopt : ConstantOf(*input);
  if (!constant || !(constant->isInt() || constant->isBool())) {
    return std::nullopt;
  }
  return constant->isInt() ? constant->toInt()
                           : static_cast<int64_t>(constant->toBool());
}

bool IsQnnpack() {
  return at::globalContext().qEngine() == at::QEngine::QNNPACK;
}

absl::string_view PoolReason(const Node& node) {
  if (!IsNoneOrMissing(node, "divisor_override")) {
    return "it divides by a number of its own";
  }
  // qnnpack counts the padding, whatever it is told.
  return ConstantInt(node, "count_include_pad") == 1
             ? ""
             : "it does not count padding";
}

// qnnpack mixes up the elements of channels-last tensors.
absl::string_view ClampReason(const Node& node) {
  if (IsQnnpack()) {
    return "qnnpack clamps tensors that are channels-last wrongly";
  }
  const bool is_clamp = InputNamed(node, "min") != nullptr;
  for (const char* name :
       {is_clamp ? "min" : "min_val", is_clamp ? "max" : "max_val"}) {
    if (IsNoneOrMissing(node, name)) {
      return "it has one bound only";
    }
    if (IsTensor(*InputNamed(node, name))) {
      return "its bounds are tensors";
    }
  }
  return "";
}

absl::string_view Relu6Reason(const Node&) {
  return IsQnnpack() ? "qnnpack clamps tensors that are channels-last wrongly"
                     : "";
}

absl::string_view DropoutReason(const Node& node) {
  return ConstantInt(node, "train") == 0 ? "" : "it drops elements at random";
}

absl::string_view PadReason(const Node& node) {
  const Value* value = InputNamed(node, "value");
  if (value == nullptr || value->mustBeNone()) {
    return "";
  }
  const auto constant = ConstantOf(*value);
  const bool is_zero = constant && constant->isScalar() &&
                       constant->toScalar().toDouble() == 0.0;
  return is_zero ? "" : "it pads with something else than zero";
}

// Another type of result asks for other arithmetic.
absl::string_view MeanReason(const Node& node) {
  if (InputNamed(node, "dim") == nullptr ||
      InputNamed(node, "dim")->mustBeNone()) {
    return "it averages over all dimensions";
  }
  return IsNoneOrMissing(node, "dtype") ? "" : "it asks for a type";
}

absl::string_view ViewReason(const Node& node) {
  return InputNamed(node, "size") != nullptr ? ""
                                             : "it reads bits as another type";
}

absl::string_view CloneReason(const Node& node) {
  return IsNoneOrMissing(node, "memory_format") ? ""
                                                : "it asks for a memory format";
}

constexpr bool kExact = true;
constexpr bool kRounds = false;

constexpr CodeOp kCodeOps[] = {
    {"aten::_upsample_nearest_exact2d", kExact},
    {"aten::_upsample_nearest_exact3d", kExact},
    {"aten::adaptive_avg_pool1d", kRounds},
    {"aten::adaptive_avg_pool2d", kRounds},
    {"aten::adaptive_avg_pool3d", kRounds},
    {"aten::avg_pool1d", kRounds, PoolReason},
    {"aten::avg_pool2d", kRounds, PoolReason},
    {"aten::avg_pool3d", kRounds, PoolReason},
    {"aten::channel_shuffle", kExact},
    {"aten::chunk", kExact},
    {"aten::clamp", kRounds, ClampReason},
    {"aten::clone", kExact, CloneReason},
    {"aten::constant_pad_nd", kExact, PadReason},
    {"aten::contiguous", kExact},
    {"aten::detach", kExact},
    {"aten::dropout", kExact, DropoutReason},
    {"aten::expand", kExact},
    {"aten::feature_dropout", kExact, DropoutReason},
    {"aten::flatten", kExact},
    {"aten::flip", kExact},
    {"aten::hardtanh", kRounds, ClampReason},
    {"aten::max_pool1d", kExact},
    {"aten::max_pool2d", kExact},
    {"aten::max_pool3d", kExact, nullptr, "ns::fbgemm_max_pool3d"},
    {"aten::mean", kRounds, MeanReason},
    {"aten::movedim", kExact},
    {"aten::narrow", kExact},
    {"aten::permute", kExact},
    {"aten::pixel_shuffle", kExact},
    {"aten::pixel_unshuffle", kExact},
    {"aten::reflection_pad1d", kExact},
    {"aten::reflection_pad2d", kExact},
    {"aten::relu", kExact},
    {"aten::relu6", kRounds, Relu6Reason},
    {"aten::repeat", kExact},
    {"aten::repeat_interleave", kExact},
    {"aten::reshape", kExact},
    {"aten::select", kExact},
    {"aten::slice", kExact},
    {"aten::split", kExact},
    {"aten::split_with_sizes", kExact},
    {"aten::squeeze", kExact},
    {"aten::stack", kExact},
    {"aten::t", kExact},
    {"aten::transpose", kExact},
    {"aten::unbind", kExact},
    {"aten::unflatten", kExact},
    {"aten::unsqueeze", kExact},
    {"aten::upsample_bilinear2d", kRounds},
    {"aten::upsample_nearest2d", kExact},
    {"aten::upsample_nearest3d", kExact},
    {"aten::view", kExact, ViewReason},
};

constexpr FixedOutput kFixedOutputs[] = {
    {"aten::hardsigmoid", 1.0 / 256, 0},
    {"aten::sigmoid", 1.0 / 256, 0},
    {"aten::tanh", 2.0 / 256, 128},
};

constexpr std::array<absl::string_view, 3> kShapeQuestions = {
    "aten::dim", "aten::numel", "aten::size"};

}  // namespace

absl::Span<const CodeOp> CodeOpTable() { return kCodeOps; }

const CodeOp* FindCodeOp(absl::string_view op) {
  const auto* found = std::lower_bound(
      std::begin(kCodeOps), std::end(kCodeOps), op,
      [](const CodeOp& row, absl::string_view key) { return row.op < key; });
  return found != std::end(kCodeOps) && found->op == op ? found : nullptr;
}

bool KeepsCodes(absl::string_view op) {
  return FindCodeOp(op) != nullptr ||
         absl::c_any_of(kCodeOps, [&](const CodeOp& row) {
           return !row.ns_op.empty() && row.ns_op == op;
         });
}

std::optional<FixedOutput> FixedOutputOf(absl::string_view op) {
  const auto* found = absl::c_find_if(
      kFixedOutputs, [&](const FixedOutput& row) { return row.op == op; });
  return found != std::end(kFixedOutputs) ? std::optional<FixedOutput>(*found)
                                          : std::nullopt;
}

bool AsksForShape(absl::string_view op) {
  return absl::c_linear_search(kShapeQuestions, op);
}

}  // namespace ns
