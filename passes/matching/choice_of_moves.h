// Finds the prim::If of A that moves the elements of a value as one of B does.
#ifndef PASSES_MATCHING_CHOICE_OF_MOVES_H_
#define PASSES_MATCHING_CHOICE_OF_MOVES_H_

#include "passes/matching/counterparts.h"

namespace torch::jit {
struct Value;
}  // namespace torch::jit

namespace ns {

// Returns the output of a prim::If of A that stands for `value`, one of B; null
// where there is none, or `value` is no such output. Each arm of either hands
// on a value from outside, the same one in both, through the same ops that move
// elements (MovesOrKeepsValues in value_keeping.h), and one arm through none,
// as where nn.MultiheadAttention transposes its batches or not. Where several
// with different conditions do, it is the one that Counterparts::Of finds.
//
//   %query : Tensor = prim::If(%is_batched)
//     block0():
//       %t : Tensor = aten::transpose(%x, %one, %zero)
//       -> (%t)
//     block1():
//       -> (%x)
torch::jit::Value* CounterpartOfChoice(const torch::jit::Value& value,
                                       const Counterparts& counterparts);

}  // namespace ns

#endif  // PASSES_MATCHING_CHOICE_OF_MOVES_H_
