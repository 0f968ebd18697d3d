// Finds the quantized op that replaces dequantize, a float op and quantize
// ("folds" the three into one), by the table of ops (passes/ops/op_families.h).
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
  // Qualified name, "aten::add".
  absl::string_view float_op;
  // The function that inserts the quantized op (quantized_forms.h). Never null
  // in what FindQuantizedOp returns.
  QuantizedForm form = nullptr;
  // What to give `form` as FoldSite::op (quantized_forms.h): `op` for the op
  // alone, `relu_op` for the op with a relu behind it. They are names of ops,
  // "quantized::add" and "quantized::add_relu", or of an op of this library
  // where LibTorch has none, "ns::fbgemm_silu". For linear layers and
  // convolutions they are what the name ends with, "" and "_relu". `op` is
  // empty, and not needed, for ops with a fixed output range
  // (FoldForm::kFixedRange).
  absl::string_view op;
  absl::string_view relu_op;
  // Whether a relu can be fused. Where false, `relu_op` is not to be used.
  bool fuses_relu = false;
  // What the arguments of a call must satisfy: for CheckCall.
  CallGuard guard = CallGuard::kNone;
};

// Returns how `float_op`, a qualified name, is folded; what it points to lives
// as long as the process. Null for an op that is not folded, for one that runs
// on quantized tensors as it is (ops_on_quantized.h), and for in-place forms
// ("aten::add_").
const QuantizedOp* FindQuantizedOp(absl::string_view float_op);

// Returns OK if the arguments of `node`, a call of row.float_op, allow the
// fold, and otherwise a refusal (ir/base/refusal.h) that says why not.
absl::Status CheckCall(const QuantizedOp& row, const torch::jit::Node& node);

// Whether it is worth trying to fold a quantize of the output of `node`: true
// for an op that FindQuantizedOp or FindOpOnQuantized (ops_on_quantized.h)
// finds, for aten::dequantize and for prim::If. It does not check the call.
bool MayBeQuantized(const torch::jit::Node& node);

}  // namespace ns

#endif  // PASSES_LOWERING_FOLD_QUANTIZED_OPS_H_
