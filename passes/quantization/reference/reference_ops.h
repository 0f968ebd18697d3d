// Finds the float op that computes what a quantized op does, or why there is
// none, by the table of ops (passes/ops/op_families.h).
#ifndef PASSES_QUANTIZATION_REFERENCE_REFERENCE_OPS_H_
#define PASSES_QUANTIZATION_REFERENCE_REFERENCE_OPS_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "passes/ops/op_families.h"

namespace ns {

// How a quantized op is computed in float.
struct ReferenceOp {
  // The op that computes in float, "aten::conv2d". It leaves out the activation
  // that the quantized op has fused (OpRow::fused_activation): whoever inserts
  // the float op must insert that behind it.
  absl::string_view float_op;
  // How the float op gets its arguments: the argument of InsertInFloat
  // (float_forms.h), never one of the forms that say why there is none.
  ReferenceForm form = ReferenceForm::kSameOp;
};

// Returns how `op`, a qualified name ("quantized::conv2d_relu"), is computed in
// float: by the op that its row of the table names (FamilyOp::float_op) or,
// where that is empty, by the first op of its family. An op that takes float
// and quantized tensors (Numerics::kEither) is computed by itself, out of
// place. Error: a refusal (ir/base/refusal.h) for an op that has no such float
// op, computes in float already, only hands its data on, or is unknown.
absl::StatusOr<ReferenceOp> FindReference(absl::string_view op);

}  // namespace ns

#endif  // PASSES_QUANTIZATION_REFERENCE_REFERENCE_OPS_H_
