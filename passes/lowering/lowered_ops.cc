#include "passes/lowering/lowered_ops.h"

#include "absl/algorithm/container.h"
#include "absl/types/span.h"
#include "ir/base/refusal.h"
#include "passes/ops/op_table.h"

namespace ns {
namespace {

// Returns the form that the table has for `op`. The family's form is for its
// quantized ops; ops that take floats have a form of their own when they are
// lowered on quantized tensors.
LoweringForm FormOf(const OpRow& op) {
  return op.spelling->lowering.value_or(IsQuantizedOp(op)
                                            ? op.family_row->facts.lowering
                                            : LoweringForm::kNoKernel);
}

// Returns why nothing takes the place of an op of `form`; empty when something
// does.
absl::string_view ReasonOf(LoweringForm form) {
  switch (form) {
    case LoweringForm::kNoKernel:
      return "there is no ns kernel for it";
    case LoweringForm::kHalfWeight:
      return "its weight is float16";
    case LoweringForm::kRecurrent:
      return "there is no ns kernel for recurrent layers";
    case LoweringForm::kPerChannel:
      return "there is no ns kernel for values with a scale for each channel";
    default:
      return "";
  }
}

bool TakesPlaceOf(const FamilyOp& lowered, const OpRow& op) {
  if (lowered.numerics == Numerics::kInt8ToFloat) {
    return false;
  }
  const bool both_dynamic_or_not = (lowered.numerics == Numerics::kDynamic) ==
                                   (op.numerics == Numerics::kDynamic);
  return IsLoweredOp(lowered.op) && both_dynamic_or_not &&
         lowered.fused_activation == op.spelling->fused_activation;
}

}  // namespace

absl::StatusOr<LoweredOp> FindLowering(absl::string_view op) {
  const OpRow* row = FindOp(op);
  const LoweringForm form = row == nullptr || IsLoweredOp(op)
                                ? LoweringForm::kNoKernel
                                : FormOf(*row);
  if (const absl::string_view reason = ReasonOf(form); !reason.empty()) {
    return Refusal(reason);
  }
  const absl::Span<const FamilyOp> ops = OpsOf(*row->family_row);
  const auto lowered = absl::c_find_if(ops, [&](const FamilyOp& candidate) {
    return TakesPlaceOf(candidate, *row);
  });
  // op_families_test checks that each op with a form has an ns op.
  return lowered == ops.end() ? absl::StatusOr<LoweredOp>(
                                    Refusal(ReasonOf(LoweringForm::kNoKernel)))
                              : LoweredOp{lowered->op, form};
}

absl::string_view FindFloatOutput(absl::string_view op) {
  const OpRow* row = FindOp(op);
  if (row != nullptr && IsLoweredOp(op) && row->numerics == Numerics::kInt8) {
    for (const FamilyOp& candidate : OpsOf(*row->family_row)) {
      if (candidate.numerics == Numerics::kInt8ToFloat &&
          candidate.fused_activation == row->spelling->fused_activation) {
        return candidate.op;
      }
    }
  }
  return "";
}

}  // namespace ns
