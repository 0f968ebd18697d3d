// Makes ops in place out-of-place where nothing can tell the difference, so
// that they can be folded.
#ifndef PASSES_LOWERING_FOLD_LOCAL_MUTATION_H_
#define PASSES_LOWERING_FOLD_LOCAL_MUTATION_H_

namespace torch::jit {
struct Graph;
}  // namespace torch::jit

namespace ns {

// Replaces ops in place that compute with dequantized values by their
// out-of-place forms. Such an op has the output of a dequantize as an input, or
// one of the few ops in front of it has, along their first inputs:
//
//   %y = aten::add_(%dequantized, %other, %one)
// becomes
//   %y = aten::add(%dequantized, %other, %one)
//
// An op stays when something else may see what it writes. Dropouts in place
// that do nothing are always replaced, all over the graph
// (ReplaceIdleDropouts). Returns whether the graph changed.
bool RemoveLocalMutation(torch::jit::Graph& graph);

}  // namespace ns

#endif  // PASSES_LOWERING_FOLD_LOCAL_MUTATION_H_
