// Finds how a quantized op is computed in float, or why it has no reference
// kernel, by the table of ops (passes/ops/op_families.h).
#ifndef PASSES_QUANTIZATION_REFERENCE_OPS_H_
#define PASSES_QUANTIZATION_REFERENCE_OPS_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "passes/ops/op_families.h"

namespace ns {

// How a quantized op is computed in float.
struct ReferenceOp {
  // The op that computes in float, "aten::conv2d". The activation
  // that the quantized op fuses is an op of its own behind it.
  absl::string_view float_op;
  // How the float op is called; a form that InsertInFloat (float_forms.h)
  // takes.
  ReferenceForm form = ReferenceForm::kSameOp;
};

// Returns how the reference of `op` is computed: by the first float op of its
// family or, for an op of Numerics::kEither, by `op` itself, out of place.
// Error: a refusal (ir/refusal.h) when it has no reference.
absl::StatusOr<ReferenceOp> FindReference(absl::string_view op);

}  // namespace ns

#endif  // PASSES_QUANTIZATION_REFERENCE_OPS_H_
