// Makes ops in place out-of-place where nothing can tell the difference, so
// that they can be folded.
#ifndef PASSES_LOWERING_FOLD_LOCAL_MUTATION_H_
#define PASSES_LOWERING_FOLD_LOCAL_MUTATION_H_

namespace torch::jit {
struct Graph;
}  // namespace torch::jit

namespace ns {

// Replaces ops that write into the output of a dequantize, or into what other
// ops in place made of it, by their out-of-place forms:
//
//   %y = aten::add_(%dequantized, %other, %one)
// becomes
//   %y = aten::add(%dequantized, %other, %one)
//
// An op stays when something else may see what it writes; dropouts in place
// that do nothing never do (ReplaceIdleDropouts). Returns whether the graph
// changed.
bool RemoveLocalMutation(torch::jit::Graph& graph);

}  // namespace ns

#endif  // PASSES_LOWERING_FOLD_LOCAL_MUTATION_H_
