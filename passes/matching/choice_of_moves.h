// Finds the prim::If of A that moves the elements of a value as one of B does.
#ifndef PASSES_MATCHING_CHOICE_OF_MOVES_H_
#define PASSES_MATCHING_CHOICE_OF_MOVES_H_

#include "absl/functional/function_ref.h"

namespace torch::jit {
struct Value;
}  // namespace torch::jit

namespace ns {

// Returns the output of a prim::If of A that stands for `value`, one of B; null
// where there is none, or several that differ in their conditions, or `value`
// is no such output. Each arm of either hands a value from outside on, through
// the same ops that move elements (MovesOrKeepsValues in value_keeping.h); one
// arm has none, as where nn.MultiheadAttention transposes its batches or not:
//
//   %query : Tensor = prim::If(%is_batched)
//     block0():
//       %t : Tensor = aten::transpose(%x, %one, %zero)
//       -> (%t)
//     block1():
//       -> (%x)
//
// `in_a` returns the value of A that a value of B from outside corresponds to,
// or null.
torch::jit::Value* CounterpartOfChoice(
    const torch::jit::Value& value,
    absl::FunctionRef<torch::jit::Value*(torch::jit::Value*)> in_a);

}  // namespace ns

#endif  // PASSES_MATCHING_CHOICE_OF_MOVES_H_
