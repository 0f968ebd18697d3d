#include "passes/quantization/kernel_support.h"

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "passes/ops/op_table.h"

namespace ns {
namespace {

// Families that have int8 ops of their own which still keep their input's
// parameters.
constexpr absl::string_view kInt8KeepsQParams[] = {
    "dropout", "hardtanh", "max_pool1d", "max_pool2d", "threshold"};
// Results of which are not within the range of the first input.
constexpr absl::string_view kLeavesRange[] = {
    "div",  "floor_divide", "floordiv", "prod", "remainder",
    "rsub", "std",          "sub",      "sum",  "var"};

// Of LibTorch's ops: lowered ones are made of them.
bool HasRow(absl::string_view family, bool (*is_wanted)(const OpRow&)) {
  return absl::c_any_of(OpTable(), [&](const OpRow& row) {
    return row.family == family && !IsLoweredOp(row.op) && is_wanted(row);
  });
}

bool HasInt8Op(absl::string_view family) {
  return HasRow(
      family, [](const OpRow& row) { return row.numerics == Numerics::kInt8; });
}

bool TakesAnyDtype(absl::string_view family) {
  return HasRow(family, [](const OpRow& row) {
    return row.numerics == Numerics::kEither;
  });
}

bool HasDynamicOp(absl::string_view family) {
  return HasRow(family, [](const OpRow& row) {
    return row.numerics == Numerics::kDynamic;
  });
}

bool IsEmbedding(absl::string_view family) {
  return absl::StartsWith(family, "embedding");
}

}  // namespace

bool QuantizesWeight(absl::string_view family) {
  return HasRow(family, [](const OpRow& row) {
    switch (row.weight_form) {
      case WeightForm::kPackedLinear:
      case WeightForm::kPackedConv:
      case WeightForm::kPackedEmbedding:
      case WeightForm::kPackedPair:
      case WeightForm::kCellParamsList:
        return true;
      case WeightForm::kNone:
      case WeightForm::kTensor:
      case WeightForm::kTensorPair:
      case WeightForm::kTensorList:
        return false;
    }
    return false;
  });
}

bool KeepsQParams(absl::string_view family) {
  return absl::c_linear_search(kInt8KeepsQParams, family) ||
         (TakesAnyDtype(family) && !HasInt8Op(family) &&
          !absl::c_linear_search(kLeavesRange, family));
}

absl::Status CheckKernel(const QConfig& qconfig, absl::string_view op,
                         absl::string_view family) {
  const auto unsupported = [&](absl::string_view why) {
    return absl::InvalidArgumentError(
        absl::StrCat("candidate '", QConfigName(qconfig),
                     "' has no kernel for ", op, ": ", why));
  };
  const WeightConfig& weight = qconfig.weight;
  const bool integer_weight =
      weight.dtype == WeightDtype::kInt8 || weight.dtype == WeightDtype::kInt4;
  switch (qconfig.activation.scheme) {
    case ActivationScheme::kStatic:
      if (IsEmbedding(family)) {
        return unsupported(
            "its input are indices; quantize its weight only, as 'int4 "
            "weights' does");
      }
      if (!HasInt8Op(family) && !TakesAnyDtype(family)) {
        return unsupported("it has no int8 form; leave it in float");
      }
      break;
    case ActivationScheme::kDynamic:
      if (!HasDynamicOp(family)) {
        return unsupported(
            "it has no dynamically quantized form; leave it in float");
      }
      break;
    case ActivationScheme::kNone:
      if (integer_weight && !QuantizesWeight(family)) {
        return unsupported("it has no weight to quantize; leave it in float");
      }
      break;
    case ActivationScheme::kHalf:
      break;
  }
  if (integer_weight && weight.per_channel &&
      absl::StartsWith(family, "conv_transpose")) {
    return unsupported(
        "weights of transposed convolutions are packed per tensor only; use a "
        "per-tensor candidate");
  }
  return absl::OkStatus();
}

}  // namespace ns
