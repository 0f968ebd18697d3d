// How each quantized op computes in float, or why it has no reference kernel,
// by the table of ops (passes/ops/op_families.h).
#ifndef PASSES_QUANTIZATION_REFERENCE_OPS_H_
#define PASSES_QUANTIZATION_REFERENCE_OPS_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "passes/ops/op_families.h"

namespace ns {

struct ReferenceOp {
  // The op that computes in float, "aten::conv2d"; the activation that the
  // quantized one fuses follows it.
  absl::string_view float_op;
  // How it is called; one that InsertInFloat (float_forms.h) takes.
  ReferenceForm form = ReferenceForm::kSameOp;
};

// How the reference of `op` is computed: by the first float op of its family
// or, for an op that computes with whatever it is given, by `op` itself, out of
// place. Error: a refusal (ir/refusal.h) where it has no reference.
absl::StatusOr<ReferenceOp> FindReference(absl::string_view op);

}  // namespace ns

#endif  // PASSES_QUANTIZATION_REFERENCE_OPS_H_
