#include "passes/lowering/fold/code_ops.h"

#include <ATen/Context.h>
#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <optional>

#include "absl/algorithm/container.h"
#include "ir/node_view.h"
#include "ir/refusal.h"
#include "ir/status.h"

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

absl::Status CheckPool(const Node& node) {
  if (!IsNoneOrMissing(node, "divisor_override")) {
    return Refusal("it divides by a number of its own");
  }
  // qnnpack counts the padding, whatever it is told.
  return ConstantInt(node, "count_include_pad") == 1
             ? absl::OkStatus()
             : Refusal("it does not count padding");
}

// qnnpack mixes up the elements of channels-last tensors.
absl::Status CheckEngineClamps(const Node& /*node*/) {
  return IsQnnpack() ? Refusal(
                           "qnnpack clamps tensors that are channels-last "
                           "wrongly")
                     : absl::OkStatus();
}

absl::Status CheckClamp(const Node& node) {
  NS_RETURN_IF_ERROR(CheckEngineClamps(node));
  const bool is_clamp = InputNamed(node, "min") != nullptr;
  for (const char* name :
       {is_clamp ? "min" : "min_val", is_clamp ? "max" : "max_val"}) {
    if (IsNoneOrMissing(node, name)) {
      return Refusal("it has one bound only");
    }
    if (IsTensor(*InputNamed(node, name))) {
      return Refusal("its bounds are tensors");
    }
  }
  return absl::OkStatus();
}

absl::Status CheckDropout(const Node& node) {
  return ConstantInt(node, "train") == 0
             ? absl::OkStatus()
             : Refusal("it drops elements at random");
}

absl::Status CheckPad(const Node& node) {
  const Value* value = InputNamed(node, "value");
  if (value == nullptr || value->mustBeNone()) {
    return absl::OkStatus();
  }
  const auto constant = ConstantOf(*value);
  const bool is_zero = constant && constant->isScalar() &&
                       constant->toScalar().toDouble() == 0.0;
  return is_zero ? absl::OkStatus()
                 : Refusal("it pads with something else than zero");
}

// Another type of result asks for other arithmetic.
absl::Status CheckMean(const Node& node) {
  if (IsNoneOrMissing(node, "dim")) {
    return Refusal("it averages over all dimensions");
  }
  return IsNoneOrMissing(node, "dtype") ? absl::OkStatus()
                                        : Refusal("it asks for a type");
}

absl::Status CheckView(const Node& node) {
  return InputNamed(node, "size") != nullptr
             ? absl::OkStatus()
             : Refusal("it reads bits as another type");
}

absl::Status CheckClone(const Node& node) {
  return IsNoneOrMissing(node, "memory_format")
             ? absl::OkStatus()
             : Refusal("it asks for a memory format");
}

constexpr bool kExact = true;
constexpr bool kRounds = false;

constexpr CodeOp kCodeOps[] = {
    {"aten::_upsample_nearest_exact2d", kExact},
    {"aten::_upsample_nearest_exact3d", kExact},
    {"aten::adaptive_avg_pool1d", kRounds},
    {"aten::adaptive_avg_pool2d", kRounds},
    {"aten::adaptive_avg_pool3d", kRounds},
    {"aten::avg_pool1d", kRounds, CheckPool},
    {"aten::avg_pool2d", kRounds, CheckPool},
    {"aten::avg_pool3d", kRounds, CheckPool},
    {"aten::channel_shuffle", kExact},
    {"aten::chunk", kExact},
    {"aten::clamp", kRounds, CheckClamp},
    {"aten::clone", kExact, CheckClone},
    {"aten::constant_pad_nd", kExact, CheckPad},
    {"aten::contiguous", kExact},
    {"aten::detach", kExact},
    {"aten::dropout", kExact, CheckDropout},
    {"aten::expand", kExact},
    {"aten::feature_dropout", kExact, CheckDropout},
    {"aten::flatten", kExact},
    {"aten::flip", kExact},
    {"aten::hardtanh", kRounds, CheckClamp},
    {"aten::max_pool1d", kExact},
    {"aten::max_pool2d", kExact},
    {"aten::max_pool3d", kExact, nullptr, "ns::fbgemm_max_pool3d"},
    {"aten::mean", kRounds, CheckMean},
    {"aten::movedim", kExact},
    {"aten::narrow", kExact},
    {"aten::permute", kExact},
    {"aten::pixel_shuffle", kExact},
    {"aten::pixel_unshuffle", kExact},
    {"aten::reflection_pad1d", kExact},
    {"aten::reflection_pad2d", kExact},
    {"aten::relu", kExact},
    {"aten::relu6", kRounds, CheckEngineClamps},
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
    {"aten::view", kExact, CheckView},
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

absl::Status CheckCall(const CodeOp& row, const Node& node) {
  return row.check == nullptr ? absl::OkStatus() : row.check(node);
}

bool AsksForShape(absl::string_view op) {
  return absl::c_linear_search(kShapeQuestions, op);
}

}  // namespace ns
