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
  // The ns kernel that takes the place of the op, with the same arguments,
  // where LibTorch has no kernel for quantized tensors; it takes quint8 only.
  // Empty when the op itself runs on quantized tensors.
  absl::string_view ns_op = "";
};

// Returns how `op` runs when its first input is quantized: one tensor, or a
// list of tensors with equal qparams. Its output has the same qparams. Null
// when `op` cannot do that. The table of ops decides: rows with
// FoldForm::kSameOpExactly, kSameOpRounding or kNsKernelExactly have an answer.
const OpOnQuantized* FindOpOnQuantized(absl::string_view op);

// Returns a refusal (ir/refusal.h) when this very call of the op of `row`
// cannot run on quantized tensors.
absl::Status CheckCall(const OpOnQuantized& row, const torch::jit::Node& node);

// True for ops that read nothing but the shape of their first input, such as
// aten::size.
bool AsksForShape(absl::string_view op);

}  // namespace ns

#endif  // PASSES_LOWERING_FOLD_OPS_ON_QUANTIZED_H_
