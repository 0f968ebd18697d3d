// Finds the quantized op that computes what a float op does between a
// dequantize and a quantize, by the table of ops (passes/ops/op_families.h).
// (quantization/reference_ops.h is the opposite direction.)
#ifndef PASSES_LOWERING_FOLD_QUANTIZED_OPS_H_
#define PASSES_LOWERING_FOLD_QUANTIZED_OPS_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "passes/lowering/fold/quantized_forms.h"
#include "passes/ops/op_families.h"

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

// How a float op is folded.
struct QuantizedOp {
  // Qualified name, "aten::add". In-place forms have no row.
  absl::string_view float_op;
  // Inserts the quantized op.
  QuantizedForm form = nullptr;
  // FoldSite::op: "quantized::add", or "ns::fbgemm_silu" where LibTorch has no
  // quantized op; and the same with a relu behind it, "quantized::add_relu".
  // For layers with packed weights both are the suffix of the packed layer's
  // op.
  absl::string_view op;
  absl::string_view relu_op;
  // Whether the op fuses a relu, so that `relu_op` has a meaning.
  bool fuses_relu = false;
  // What the arguments of a call must satisfy (CheckCall).
  CallGuard guard = CallGuard::kNone;
};

// Returns how `float_op` is folded. Null when it is not folded, and when it
// runs on quantized tensors as it is (ops_on_quantized.h).
const QuantizedOp* FindQuantizedOp(absl::string_view float_op);

// Returns a refusal (ir/refusal.h) when this very call of the op of `row` has
// no quantized form.
absl::Status CheckCall(const QuantizedOp& row, const torch::jit::Node& node);

// Whether a quantize of the output of `node` may be folded: when `node` is an
// op that is folded, one of ops_on_quantized.h, a dequantize, or a prim::If.
bool MayBeQuantized(const torch::jit::Node& node);

}  // namespace ns

#endif  // PASSES_LOWERING_FOLD_QUANTIZED_OPS_H_
