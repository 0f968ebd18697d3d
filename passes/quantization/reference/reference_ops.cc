#include "passes/quantization/reference/reference_ops.h"

#include "absl/status/status.h"
#include "ir/base/refusal.h"
#include "passes/ops/op_table.h"

namespace ns {
namespace {

constexpr absl::string_view kHandsOn = "it only hands its data on";

// Returns why an op of `form` has no reference; empty when it has one.
absl::string_view ReasonOf(ReferenceForm form) {
  switch (form) {
    case ReferenceForm::kOnlyQuantizes:
      return "it only quantizes";
    case ReferenceForm::kHandsOn:
      return kHandsOn;
    case ReferenceForm::kRecurrent:
      return "recurrent layers have no reference kernel";
    case ReferenceForm::kLayerWithSum:
      return "a layer with its sum has no reference kernel";
    case ReferenceForm::kRawTable:
      return "its table is a tensor of bytes, which hold the scales of rows, "
             "too";
    default:
      return "";
  }
}

// Returns the reference of an op that float models have, too: the op itself.
absl::StatusOr<ReferenceOp> OwnReference(const OpRow& op) {
  if (op.role == Role::kSource) {
    return Refusal("it makes its data from nothing");
  }
  if (op.role != Role::kCompute ||
      op.family_row->facts.reference == ReferenceForm::kHandsOn) {
    return Refusal(kHandsOn);
  }
  if (op.numerics == Numerics::kFloat) {
    return Refusal("it computes in float");
  }
  return ReferenceOp{op.op, ReferenceForm::kSameOp};
}

}  // namespace

absl::StatusOr<ReferenceOp> FindReference(absl::string_view op) {
  const OpRow* row = FindOp(op);
  if (row == nullptr) {
    return Refusal("its op is unknown");
  }
  if (!IsQuantizedOp(*row)) {
    return OwnReference(*row);
  }
  const ReferenceForm form =
      row->spelling->reference.value_or(row->family_row->facts.reference);
  if (const absl::string_view reason = ReasonOf(form); !reason.empty()) {
    return Refusal(reason);
  }
  return ReferenceOp{FloatOpOf(*row), form};
}

}  // namespace ns
