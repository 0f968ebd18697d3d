// Float ops that LibTorch runs on codes as they are, without a quantized:: op
// of their own.
#ifndef PASSES_LOWERING_FOLD_CODE_OPS_H_
#define PASSES_LOWERING_FOLD_CODE_OPS_H_

#include <optional>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "passes/ops/op_families.h"

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

struct CodeOp {
  // Qualified name, "aten::max_pool2d". In-place forms have no row.
  absl::string_view op;
  // Moves or picks elements: f(dequantize(q)) is dequantize(f(q)) to the bit.
  // Others round, or saturate, to a code: f(q) is quantize(f(dequantize(q)))
  // with the parameters of q, but for ties.
  bool is_exact = true;
  // What must hold of a call.
  CallGuard guard = CallGuard::kNone;
  // An ns kernel that takes the codes in its place, with the same arguments,
  // where LibTorch has none: of quint8 codes alone. Empty for the op itself.
  absl::string_view ns_op = "";
};

// How `op` works on the codes of its first input, a tensor or a list of tensors
// with equal parameters, and gives codes with the same parameters; null where
// it does not. By the table of ops: FoldForm::kSameOpExactly and the like.
const CodeOp* FindCodeOp(absl::string_view op);

// A refusal (ir/refusal.h) where codes cannot be given to this very call of the
// op of `row`.
absl::Status CheckCall(const CodeOp& row, const torch::jit::Node& node);

// True for ops that ask for the shape of their first input, and of that alone.
bool AsksForShape(absl::string_view op);

}  // namespace ns

#endif  // PASSES_LOWERING_FOLD_CODE_OPS_H_
