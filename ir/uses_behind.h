// Follows a value to what uses it and what is made of it.
#ifndef IR_USES_BEHIND_H_
#define IR_USES_BEHIND_H_

#include "absl/functional/function_ref.h"

namespace torch::jit {
struct Use;
struct Value;
}  // namespace torch::jit

namespace ns {

// Returns whether `found` is true of a use of `value`, or of a use of what is
// made of it: for each use that `hands_on` is true of, the first output of its
// node is followed like the value, once. Both are called for each use that is
// reached until one is found; `hands_on` is only called for nodes with outputs
// and without blocks.
bool HasUseBehind(const torch::jit::Value& value,
                  absl::FunctionRef<bool(const torch::jit::Use& use)> hands_on,
                  absl::FunctionRef<bool(const torch::jit::Use& use)> found);

}  // namespace ns

#endif  // IR_USES_BEHIND_H_
