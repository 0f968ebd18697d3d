#include "passes/quantization/layers/int8_form.h"

#include <ATen/Context.h>
#include <ATen/core/Tensor.h>
#include <torch/csrc/jit/ir/ir.h>

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ir/base/dtype_name.h"
#include "ir/base/refusal.h"
#include "ir/base/status.h"
#include "ir/graph/constant_argument.h"
#include "ir/graph/node_view.h"
#include "passes/analysis/call_guards.h"
#include "passes/ops/op_table.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

absl::Status CheckLayer(const Node& node, int weight_input) {
  const std::optional<c10::IValue> weight =
      ConstantOf(*node.input(weight_input));
  if (!weight || !weight->isTensor()) {
    return Refusal("its weight is not constant");
  }
  if (weight->toTensor().scalar_type() != at::kFloat) {
    return Refusal(absl::StrCat(
        "its weight is of ", PythonDtypeName(weight->toTensor().scalar_type()),
        "; int8 kernels take the place of float32"));
  }
  const Value* bias = InputNamed(node, "bias");
  if (at::globalContext().qEngine() == at::QEngine::QNNPACK &&
      weight->toTensor().dim() > 4) {
    return Refusal("qnnpack cannot save it");
  }
  return bias == nullptr || ConstantOf(*bias)
             ? absl::OkStatus()
             : Refusal("its bias is not constant");
}

// Why an op of `family` that computes in float has no int8 form.
absl::string_view WhyNoForm(absl::string_view family) {
  if (family == "prelu") {
    // That of LibTorch 1.13 multiplies by the slope whatever the sign is.
    return "LibTorch's int8 kernel for it scales positive values, too";
  }
  if (family == "embedding" || family == "embedding_bag") {
    return "it takes indices; --mode=weight-only quantizes its weight";
  }
  if (family == "lstm" || family == "gru" || absl::EndsWith(family, "_cell")) {
    return "LibTorch quantizes it dynamically alone; --mode=dynamic does so";
  }
  return "it has no int8 form";
}

}  // namespace

absl::StatusOr<Int8Form> Int8FormOf(const Node& node) {
  const OpRow* row = FindOp(OpName(node));
  if (row == nullptr) {
    return Refusal("the table of ops does not know it");
  }
  const FoldForm form = row->spelling->fold;
  NS_RETURN_IF_ERROR(CheckCall(row->spelling->guard, node));
  switch (form) {
    case FoldForm::kNone:
      return Refusal(WhyNoForm(row->family));
    case FoldForm::kNsKernel:
    case FoldForm::kNsKernelExactly:
      return Refusal("LibTorch has no int8 kernel for it");
    case FoldForm::kSameOpExactly:
    case FoldForm::kSameOpRounding:
      return Int8Form::kRangeOfInput;
    case FoldForm::kFixedRange:
    case FoldForm::kFixedRangeOrByName:
      return Int8Form::kFixedRange;
    case FoldForm::kPackedLinear:
    case FoldForm::kPackedConv:
      NS_RETURN_IF_ERROR(CheckLayer(node, row->weight_input));
      return Int8Form::kOwnRange;
    case FoldForm::kByName:
    case FoldForm::kGroupNorm:
    case FoldForm::kBinary:
    case FoldForm::kList:
      return Int8Form::kOwnRange;
  }
  return Refusal("it has no int8 form");
}

int PackedWeightInput(const Node& node) {
  const OpRow* row = FindOp(OpName(node));
  const bool packs = row != nullptr &&
                     row->weight_form == WeightForm::kTensor &&
                     (row->spelling->fold == FoldForm::kPackedLinear ||
                      row->spelling->fold == FoldForm::kPackedConv);
  return packs ? row->weight_input : -1;
}

bool HandsOnItsInput(const Node& node) {
  const OpRow* row = FindOp(OpName(node));
  return row != nullptr &&
         row->family_row->facts.reference == ReferenceForm::kHandsOn &&
         CheckCall(row->spelling->guard, node).ok();
}

bool MovesValues(const Node& node) {
  const OpRow* row = FindOp(OpName(node));
  return row != nullptr &&
         (row->role != Role::kCompute || HandsOnItsInput(node)) &&
         row->spelling->fold == FoldForm::kSameOpExactly &&
         CheckCall(row->spelling->guard, node).ok();
}

ShapeLimits LimitsInInt8(const Node& node) {
  const OpRow* row = FindOp(OpName(node));
  if (row == nullptr) {
    return {};
  }
  if (row->spelling->fold != FoldForm::kPackedConv) {
    ShapeLimits limits = row->family_row->facts.int8_limits;
    // It fails on memory that is channels last, as convolutions return it.
    limits.single_pixels =
        node.kind() != c10::aten::mean || IsArgumentTrue(node, "keepdim");
    return limits;
  }
  // A batch and channels, as the weight has output and input channels.
  const std::optional<c10::IValue> weight =
      ConstantOf(*node.input(row->weight_input));
  return weight && weight->isTensor() ? ShapeLimits{weight->toTensor().dim()}
                                      : ShapeLimits();
}

}  // namespace ns
