// Finds the ns op that takes the place of an op of LibTorch or of another ns
// op, or the reason why none does, by the table of ops
// (passes/ops/op_families.h).
#ifndef PASSES_LOWERING_LOWERED_OPS_H_
#define PASSES_LOWERING_LOWERED_OPS_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "passes/ops/op_families.h"

namespace ns {

// How an op is lowered.
struct LoweredOp {
  // Qualified name of the ns op, "ns::fbgemm_conv2d_relu".
  absl::string_view op;
  // How the ns op is given its arguments; a form that InsertLowered takes.
  LoweringForm form = LoweringForm::kNoKernel;
};

// Returns what takes the place of `op`, in its in-place form or not: the ns op
// of its family that fuses the same activation and is dynamic when `op` is.
// Error: a refusal (ir/base/refusal.h) when there is none.
absl::StatusOr<LoweredOp> FindLowering(absl::string_view op);

// Returns the ns op that computes what the ns op `op` does, and gives floats
// where that rounds to quantized values: "ns::fbgemm_linear_relu_float" for
// "ns::fbgemm_linear_relu". It takes the same arguments without the scale and
// zero point of the output. Empty when there is none.
absl::string_view FindFloatOutput(absl::string_view op);

}  // namespace ns

#endif  // PASSES_LOWERING_LOWERED_OPS_H_
