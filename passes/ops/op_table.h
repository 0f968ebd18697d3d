// The table of ops (op_families.h) by op: where an op is a spelling of a
// family, what its row says of it.
#ifndef PASSES_OPS_OP_TABLE_H_
#define PASSES_OPS_OP_TABLE_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "passes/ops/op_families.h"

namespace ns {

// One spelling of a family, with the facts of both.
struct OpRow {
  // Qualified name, "quantized::conv2d_relu". In-place forms have no row of
  // their own: FindOp drops the trailing underscore.
  absl::string_view op;
  // Ops of one family are related.
  absl::string_view family;
  Numerics numerics = Numerics::kFloat;
  Role role = Role::kCompute;
  // The family of the activation that the op applies last, or empty.
  absl::string_view fused_activation = "";
  WeightForm weight_form = WeightForm::kNone;
  int weight_input = -1;
  // What users call the outputs behind the first (FamilyFacts::other_outputs).
  absl::string_view other_outputs = "";
  // Where all this is from, and the rest.
  const FamilyOp* spelling = nullptr;
  const OpFamily* family_row = nullptr;
};

// All rows, sorted by op.
absl::Span<const OpRow> OpTable();

// The row of `op` or, for an in-place op without one, of its out-of-place form
// ("aten::relu" for "aten::relu_"). Null for an unknown op.
const OpRow* FindOp(absl::string_view op);

// True for int8, dynamic and fp16 ops and for quantize ops: those that only a
// quantized model has.
bool IsQuantizedOp(const OpRow& row);

// The scale and zero point that an op of either numerics gives quantized values
// of its own accord, whatever those of its input are: of a sigmoid, a tanh.
// Null for other ops.
const QuantizedRange* FixedRangeOf(const OpRow& row);

// True for the ops of our own kernels, which lower-to-fbgemm puts in the place
// of quantized ones: "ns::fbgemm_conv2d".
bool IsLoweredOp(absl::string_view op);

}  // namespace ns

#endif  // PASSES_OPS_OP_TABLE_H_
