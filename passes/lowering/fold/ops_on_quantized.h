// Lists the float ops that run on quantized tensors as they are, without a
// quantized:: op of their own, such as aten::max_pool2d.
#ifndef PASSES_LOWERING_FOLD_OPS_ON_QUANTIZED_H_
#define PASSES_LOWERING_FOLD_OPS_ON_QUANTIZED_H_

#include <optional>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "passes/ops/op_families.h"

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

struct OpOnQuantized {
  // Qualified name, "aten::max_pool2d". In-place forms have no row.
  absl::string_view op;
  // True when the op only moves or picks elements: f(dequantize(q)) equals
  // dequantize(f(q)) to the bit. False when it rounds or clips to a quantized
  // value: f(q) is quantize(f(dequantize(q))) with the qparams of q, except for
  // ties.
  bool is_exact = true;
  // What the arguments of a call must satisfy (CheckCall).
  CallGuard guard = CallGuard::kNone;
  // The ns op that takes the place of the op, with the same arguments, where
  // LibTorch has no kernel for quantized tensors; empty when the op itself runs
  // on quantized tensors. An ns op takes quint8 only. CheckCall does not check
  // that: whoever puts the op on a quantized tensor must know its dtype, as
  // RunOnQuantized and FoldQuantize do.
  absl::string_view ns_op = "";
};

// Returns how `op` runs when its first input is quantized: one tensor, or a
// list of tensors with equal qparams. Its output has the same qparams. Null
// when `op` cannot do that, or is an in-place form ("aten::relu_"). What is
// returned is never destroyed. The table of ops decides: rows with
// FoldForm::kSameOpExactly, kSameOpRounding or kNsKernelExactly have an answer.
const OpOnQuantized* FindOpOnQuantized(absl::string_view op);

// Returns OK when the arguments of `node`, a call of the op of `row`, satisfy
// `row.guard`, and otherwise a refusal (ir/base/refusal.h) that says why this
// very call cannot run on quantized tensors.
absl::Status CheckCall(const OpOnQuantized& row, const torch::jit::Node& node);

// True for ops that read nothing but the shape of their first input, such as
// aten::size.
bool AsksForShape(absl::string_view op);

}  // namespace ns

#endif  // PASSES_LOWERING_FOLD_OPS_ON_QUANTIZED_H_
