#include "passes/analysis/call_guards.h"

#include <ATen/Context.h>
#include <c10/util/Exception.h>
#include <torch/csrc/jit/ir/ir.h>

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "ir/base/refusal.h"
#include "ir/base/status.h"
#include "ir/graph/constant_argument.h"
#include "ir/graph/node_view.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

bool IsNoneOrMissing(const Node& node, absl::string_view name) {
  const Value* input = InputNamed(node, name);
  return input == nullptr || input->mustBeNone();
}

// Returns the constant int or bool that an input is; nothing when it is not
// constant.
std::optional<int64_t> ConstantInt(const Node& node, absl::string_view name) {
  const auto constant = ConstantArgument(node, name);
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
  return !IsQnnpack() || ConstantInt(node, "count_include_pad") == 1
             ? absl::OkStatus()
             : Refusal("qnnpack counts the padding, whatever it is told");
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

// LibTorch reflects quantized rows and images, and pads with zeros.
absl::Status CheckPad(const Node& node) {
  if (const Value* mode = InputNamed(node, "mode")) {
    const auto name = ConstantOf(*mode);
    const auto sizes = ConstantOf(*node.input(1));
    if (name && name->isString() && name->toStringRef() == "reflect") {
      return sizes && sizes->isIntList() && sizes->toIntVector().size() <= 4
                 ? absl::OkStatus()
                 : Refusal("it reflects more than two dimensions");
    }
    if (!name || !name->isString() || name->toStringRef() != "constant") {
      return Refusal("LibTorch pads quantized tensors in no such way");
    }
  }
  const Value* value = InputNamed(node, "value");
  if (value == nullptr || value->mustBeNone()) {
    return absl::OkStatus();
  }
  return NumberOf(*value) == 0.0
             ? absl::OkStatus()
             : Refusal("it pads with something else than zero");
}

// A mean that asks for another dtype of its result needs other arithmetic.
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

absl::Status CheckAdd(const Node& node) {
  const Value* alpha = InputNamed(node, "alpha");
  return alpha == nullptr || NumberOf(*alpha) == 1.0
             ? absl::OkStatus()
             : Refusal("it multiplies its second operand");
}

absl::Status CheckBatchNorm(const Node& node) {
  if (ConstantInt(node, "training") != 0) {
    return Refusal("it takes its statistics from the batch");
  }
  return InputNamed(node, "weight")->mustBeNone() ||
                 InputNamed(node, "bias")->mustBeNone()
             ? Refusal("its kernel needs a weight and a bias")
             : absl::OkStatus();
}

absl::Status CheckInstanceNorm(const Node& node) {
  return ConstantInt(node, "use_input_stats") == 1
             ? absl::OkStatus()
             : Refusal("it takes its statistics from elsewhere");
}

absl::Status CheckSoftmax(const Node& node) {
  return InputNamed(node, "dtype")->mustBeNone()
             ? absl::OkStatus()
             : Refusal("it asks for a type");
}

}  // namespace

absl::Status CheckCall(CallGuard guard, const Node& node) {
  switch (guard) {
    case CallGuard::kNone:
      return absl::OkStatus();
    case CallGuard::kAddsUnscaled:
      return CheckAdd(node);
    case CallGuard::kCountsPadding:
      return CheckPool(node);
    case CallGuard::kIsClamp:
      return CheckClamp(node);
    case CallGuard::kEngineClamps:
      return CheckEngineClamps(node);
    case CallGuard::kDropsNothing:
      return CheckDropout(node);
    case CallGuard::kPadsQuantized:
      return CheckPad(node);
    case CallGuard::kOverDimensions:
      return CheckMean(node);
    case CallGuard::kIsReshape:
      return CheckView(node);
    case CallGuard::kKeepsLayout:
      return CheckClone(node);
    case CallGuard::kKeepsDtype:
      return CheckSoftmax(node);
    case CallGuard::kKnownStatistics:
      return CheckBatchNorm(node);
    case CallGuard::kInputStatistics:
      return CheckInstanceNorm(node);
  }
  TORCH_INTERNAL_ASSERT(false);
}

}  // namespace ns
