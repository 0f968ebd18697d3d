// Which quantized op computes what a float op does between a dequantize and a
// quantize, by the table of ops (passes/ops/op_families.h): reference_ops.h the
// other way round.
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

struct QuantizedOp {
  // Qualified name, "aten::add". In-place forms have no row.
  absl::string_view float_op;
  QuantizedForm form = nullptr;
  // FoldSite::op, "quantized::add", or "ns::fbgemm_silu" where LibTorch has
  // none; and the same with a relu behind it. Of layers, the suffix of the
  // packed layer's op.
  absl::string_view op;
  absl::string_view relu_op;
  // Whether `relu_op` says anything: not all ops fuse a relu.
  bool fuses_relu = false;
  // What must hold of a call.
  CallGuard guard = CallGuard::kNone;
};

// What `float_op` is folded to; null where it is not, or is so as it is
// (code_ops.h).
const QuantizedOp* FindQuantizedOp(absl::string_view float_op);

// A refusal (ir/refusal.h) where this very call of the op of `row` has no
// quantized form.
absl::Status CheckCall(const QuantizedOp& row, const torch::jit::Node& node);

// Whether a quantize of what `node` gives may be folded: an op that is folded,
// one of code_ops.h, a dequantize, or a prim::If.
bool MayBeQuantized(const torch::jit::Node& node);

}  // namespace ns

#endif  // PASSES_LOWERING_FOLD_QUANTIZED_OPS_H_
