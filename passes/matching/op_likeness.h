// Tells how alike two ops of different models are by what the graphs say of
// them, apart from the values that they take.
#ifndef PASSES_MATCHING_OP_LIKENESS_H_
#define PASSES_MATCHING_OP_LIKENESS_H_

#include "absl/types/span.h"
#include "passes/matching/matchable_nodes.h"

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

// Returns the number of arguments that `a` and `b` call by the same name, that
// are constant in both, and that differ: 1 for
//
//   aten::select(%x, %dim, 0)   and   aten::select(%x, %dim, 1)
//
// Tensors are not compared, nor is what only a quantized op has.
int CountOtherConstants(const torch::jit::Node& a, const torch::jit::Node& b);

// Returns the number of ops in which two ways from a value to a later op
// differ. `a` and `b` are the beginnings of MatchableNodes::Sources: the values
// of each model that one passes, without the one that both come from. Ops that
// keep values or quantize them are left out: often only one model has them. Two
// ops differ where their families (their kinds, outside the table of ops) or
// constant arguments do.
int CountOtherSteps(absl::Span<const Source> a, absl::Span<const Source> b);

}  // namespace ns

#endif  // PASSES_MATCHING_OP_LIKENESS_H_
