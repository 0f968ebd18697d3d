// Answers `a is b` of tensors where the graph shows the answer.
#ifndef IR_RESOLVE_IDENTITY_H_
#define IR_RESOLVE_IDENTITY_H_

namespace torch::jit {
struct Graph;
}  // namespace torch::jit

namespace ns {

// Replaces aten::__is__ and aten::__isnot__ by a constant:
// - of two values that equal ops without side effects make of the same inputs,
//   which are one tensor. LibTorch merges such ops before it runs a graph, so
//   this is what it would find; without this it depends on what a pass has
//   inserted between them.
//
//     %k : Tensor = aten::unsqueeze(%x, %one)
//     %v : Tensor = aten::unsqueeze(%x, %one)
//     %same : bool = aten::__is__(%k, %v)        true
//
// - of tensors that are made by different ops, or by an op and by the caller,
//   which are two. Two inputs of the graph may be one tensor or two: what
//   compares them stays.
// - of None and what cannot be None.
// An op one of whose tensors is written in place is never taken for equal to
// another. Returns whether anything was replaced.
bool ResolveIdentity(torch::jit::Graph& graph);

}  // namespace ns

#endif  // IR_RESOLVE_IDENTITY_H_
