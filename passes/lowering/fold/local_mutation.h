// Ops in place that need not be.
#ifndef PASSES_LOWERING_FOLD_LOCAL_MUTATION_H_
#define PASSES_LOWERING_FOLD_LOCAL_MUTATION_H_

namespace torch::jit {
struct Graph;
}  // namespace torch::jit

namespace ns {

// Makes out-of-place ops of those that write into what a dequantize gave, or
// into what other ops made of it, where nothing tells the difference:
//
//   %y = aten::add_(%dequantized, %other, %one)
// becomes
//   %y = aten::add(%dequantized, %other, %one)
//
// Returns whether the graph changed.
bool RemoveLocalMutation(torch::jit::Graph& graph);

}  // namespace ns

#endif  // PASSES_LOWERING_FOLD_LOCAL_MUTATION_H_
