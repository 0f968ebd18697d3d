// How each quantized op computes in float, or why it has no reference kernel.
#ifndef PASSES_QUANTIZATION_REFERENCE_OPS_H_
#define PASSES_QUANTIZATION_REFERENCE_OPS_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "passes/quantization/float_forms.h"

namespace ns {

struct ReferenceOp {
  // Qualified name, "quantized::conv2d_relu". In-place forms have no row.
  absl::string_view op;
  // The op that computes in float, "aten::conv2d"; the activation that `op`
  // fuses follows it. Empty when `op` has no reference.
  absl::string_view float_op;
  // How the float op is called; null when `op` has no reference.
  FloatForm form = nullptr;
  // Why `op` has no reference.
  absl::string_view reason = "";
};

// The rows of ops that only quantized models have, sorted by op.
absl::Span<const ReferenceOp> ReferenceTable();

// How the reference of `op` is computed: as its row says or, for an op that
// computes with whatever it is given, by `op` itself, out of place. Error: a
// refusal (ir/refusal.h) where it has no reference.
absl::StatusOr<ReferenceOp> FindReference(absl::string_view op);

}  // namespace ns

#endif  // PASSES_QUANTIZATION_REFERENCE_OPS_H_
