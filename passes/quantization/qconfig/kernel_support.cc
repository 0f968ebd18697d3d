#include "passes/quantization/qconfig/kernel_support.h"

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "passes/ops/op_families.h"
#include "passes/ops/op_table.h"
#include "passes/runtime/observers/observer_names.h"

namespace ns {
namespace {

// Whether LibTorch has an op of `family` with `numerics`. Ns ops do not count:
// they are made of LibTorch's. Null, for a family that a user added, has no
// ops.
bool HasOp(const OpFamily* family, Numerics numerics) {
  return family != nullptr &&
         absl::c_any_of(OpsOf(*family), [&](const FamilyOp& op) {
           return op.numerics == numerics && !IsLoweredOp(op.op);
         });
}

WeightForm QuantizedForm(const OpFamily* family) {
  return family == nullptr ? WeightForm::kNone
                           : family->facts.quantized_weight.form;
}

}  // namespace

absl::Status CheckActivationDtype(const QConfig& qconfig) {
  const at::ScalarType dtype = qconfig.activation.config.dtype;
  return dtype == at::kQUInt8 || dtype == at::kQInt8
             ? absl::OkStatus()
             : absl::InvalidArgumentError(absl::StrCat(
                   "no int8 kernel takes activations of ", DtypeName(dtype)));
}

bool QuantizesWeight(absl::string_view family) {
  switch (QuantizedForm(FindFamily(family))) {
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
}

bool KeepsQParams(absl::string_view family) {
  const OpFamily* row = FindFamily(family);
  return row != nullptr &&
         row->facts.range.kind == QuantizedRange::Kind::kOfInput;
}

absl::Status CheckKernel(const QConfig& qconfig, absl::string_view op,
                         absl::string_view family) {
  const OpFamily* row = FindFamily(family);
  const auto unsupported = [&](absl::string_view why) {
    return absl::InvalidArgumentError(
        absl::StrCat("candidate '", QConfigName(qconfig),
                     "' has no kernel for ", op, ": ", why));
  };
  const bool integer_weight =
      ModeOf(qconfig.weight) == QuantizationMode::kStatic;
  switch (ModeOf(qconfig.activation)) {
    case QuantizationMode::kStatic:
      if (QuantizedForm(row) == WeightForm::kPackedEmbedding) {
        return unsupported(
            "its input are indices; quantize its weight only, as 'int4 "
            "weights' does");
      }
      if (!HasOp(row, Numerics::kInt8) && !HasOp(row, Numerics::kEither)) {
        return unsupported("it has no int8 form; leave it in float");
      }
      break;
    case QuantizationMode::kDynamic:
      if (!HasOp(row, Numerics::kDynamic)) {
        return unsupported(
            "it has no dynamically quantized form; leave it in float");
      }
      break;
    case QuantizationMode::kFloat:
      if (integer_weight && !QuantizesWeight(family)) {
        return unsupported("it has no weight to quantize; leave it in float");
      }
      break;
    case QuantizationMode::kHalf:
      break;
  }
  if (integer_weight && IsPerChannel(qconfig.weight) && row != nullptr &&
      row->facts.weight_channel_dim != 0) {
    return unsupported(
        "weights of transposed convolutions are packed per tensor only; use a "
        "per-tensor candidate");
  }
  return absl::OkStatus();
}

}  // namespace ns
