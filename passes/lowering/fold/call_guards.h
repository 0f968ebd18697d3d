// Which calls of a float op have a form on quantized values.
#ifndef PASSES_LOWERING_FOLD_CALL_GUARDS_H_
#define PASSES_LOWERING_FOLD_CALL_GUARDS_H_

#include "absl/status/status.h"
#include "passes/ops/op_families.h"

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

// A refusal (ir/refusal.h) where the arguments of `node` are not as `guard`
// wants them.
absl::Status CheckCall(CallGuard guard, const torch::jit::Node& node);

}  // namespace ns

#endif  // PASSES_LOWERING_FOLD_CALL_GUARDS_H_
