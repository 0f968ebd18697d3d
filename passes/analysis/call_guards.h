// Checks whether the arguments of one call of a float op allow the fold that
// the table of ops has for the op.
#ifndef PASSES_ANALYSIS_CALL_GUARDS_H_
#define PASSES_ANALYSIS_CALL_GUARDS_H_

#include "absl/status/status.h"
#include "passes/ops/op_families.h"

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

// Returns a refusal (ir/base/refusal.h) when the arguments of `node` do not
// satisfy `guard`.
absl::Status CheckCall(CallGuard guard, const torch::jit::Node& node);

}  // namespace ns

#endif  // PASSES_ANALYSIS_CALL_GUARDS_H_
