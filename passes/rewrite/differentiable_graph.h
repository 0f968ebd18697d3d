// Lets autograd differentiate a graph that writes to tensors in place.
#ifndef PASSES_REWRITE_DIFFERENTIABLE_GRAPH_H_
#define PASSES_REWRITE_DIFFERENTIABLE_GRAPH_H_

namespace torch::jit {
struct Graph;
}  // namespace torch::jit

namespace ns {

// Copies the tensors that autograd may keep for the gradients of an op and that
// an op in place may write to. Autograd refuses to differentiate what such a
// write has changed. An op in place computes its result apart, and copies it:
//
//   %y = aten::sigmoid(%x)
//   %v = aten::slice(%y, ...)
//   %1 = aten::mul_(%v, %z)
// becomes
//   %s = aten::sigmoid(%x)
//   %y = aten::clone(%s, %none)
//   %v = aten::slice(%y, ...)
//   %c = aten::clone(%v, %none)
//   %p = aten::mul(%c, %z)
//   %1 = aten::copy_(%v, %p, %false)
//
// The graph computes what it did before. Nodes without a write in place stay
// themselves. What stays refused: a write to one of several views that one op
// gives, such as those of aten::chunk. Throws what LibTorch throws.
void MakeDifferentiable(torch::jit::Graph& graph);

}  // namespace ns

#endif  // PASSES_REWRITE_DIFFERENTIABLE_GRAPH_H_
