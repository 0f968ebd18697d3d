// Computes what ops make of constants where some of them work in place.
#ifndef IR_FLATTEN_FOLD_WRITTEN_CONSTANTS_H_
#define IR_FLATTEN_FOLD_WRITTEN_CONSTANTS_H_

namespace torch::jit {
struct Graph;
}  // namespace torch::jit

namespace ns {

// Replaces by constants what the graph computes from constants alone, also
// through ops in place, which LibTorch's constant propagation leaves alone:
//
//   %b : Tensor = aten::clone(%bias, %none)
//   %k : Tensor = aten::slice(%b, %zero, %first, %last, %one)
//   %1 : Tensor = aten::zero_(%k)
//   %y : Tensor = aten::linear(%x, %weight, %b)
// becomes
//   %c : Tensor = prim::Constant[value=<Tensor>]()
//   %y : Tensor = aten::linear(%x, %weight, %c)
//
// Each user gets the value as it is when the user runs. A tensor stays where an
// op writes to it that depends on something else, or may run more or less than
// once: in a branch or a loop. Graphs that MemoryRegions cannot follow stay,
// too. Returns whether the graph changed. Throws what LibTorch throws; the
// graph is then as it was.
bool FoldWrittenConstants(torch::jit::Graph& graph);

}  // namespace ns

#endif  // IR_FLATTEN_FOLD_WRITTEN_CONSTANTS_H_
