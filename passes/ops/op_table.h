// Finds the facts of an op by its name: the view of the table of ops
// (op_families.h) that has one row for each op.
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
  // The name of its family. Ops of one family are related.
  absl::string_view family;
  Numerics numerics = Numerics::kFloat;
  Role role = Role::kCompute;
  // The family of the activation that the op applies last, or empty.
  absl::string_view fused_activation = "";
  WeightForm weight_form = WeightForm::kNone;
  // The index of the input that holds the weight; -1 for none.
  int weight_input = -1;
  // What users call the outputs behind the first (FamilyFacts::other_outputs).
  absl::string_view other_outputs = "";
  // The entry of the op and the row of its family, which have the other facts,
  // too. Never null in a row of OpTable.
  const FamilyOp* spelling = nullptr;
  const OpFamily* family_row = nullptr;
};

// Returns all rows, sorted by op.
absl::Span<const OpRow> OpTable();

// Returns the row of `op` or, for an in-place op without one, of its
// out-of-place form ("aten::relu" for "aten::relu_"). Null for an unknown op.
const OpRow* FindOp(absl::string_view op);

// True for ops that compute each element of their output from that of their
// first input at the place (FamilyFacts::is_elementwise): activations,
// quantize, dequantize and observe ops, too.
bool IsElementwise(const OpRow& row);

// True for ops that only a quantized model has: int8, dynamic and fp16 ops, and
// quantize ops.
bool IsQuantizedOp(const OpRow& row);

// True for ops that take quantized tensors only, whatever they give.
bool TakesInt8(Numerics numerics);

// Returns the float op that computes what `row`, a quantized op, does
// (FamilyOp::float_op).
absl::string_view FloatOpOf(const OpRow& row);

// Returns the fixed scale and zero point that an op of Numerics::kEither gives
// a quantized output, whatever those of its input are: a sigmoid or tanh has
// them. Null for other ops.
const QuantizedRange* FixedRangeOf(const OpRow& row);

// True for the ops that run ns kernels, such as "ns::fbgemm_conv2d":
// lower-to-fbgemm puts them in the place of quantized ops.
bool IsLoweredOp(absl::string_view op);

}  // namespace ns

#endif  // PASSES_OPS_OP_TABLE_H_
