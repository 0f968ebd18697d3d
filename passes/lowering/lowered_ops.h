// Which ns kernel takes the place of which op, or why none does, by the table
// of ops (passes/ops/op_families.h).
#ifndef PASSES_LOWERING_LOWERED_OPS_H_
#define PASSES_LOWERING_LOWERED_OPS_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "passes/ops/op_families.h"

namespace ns {

struct LoweredOp {
  // "ns::fbgemm_conv2d_relu".
  absl::string_view op;
  // How its arguments are taken over; one that InsertLowered takes.
  LoweringForm form = LoweringForm::kNoKernel;
};

// What takes the place of `op`, in its in-place form or not: the ns kernel of
// its family that fuses the same activation and, like it, is dynamic or is not.
// Error: a refusal (ir/refusal.h) where nothing does.
absl::StatusOr<LoweredOp> FindLowering(absl::string_view op);

}  // namespace ns

#endif  // PASSES_LOWERING_LOWERED_OPS_H_
