// Answers `a is b` of tensors where the graph shows the answer.
#ifndef IR_FLATTEN_RESOLVE_IDENTITY_H_
#define IR_FLATTEN_RESOLVE_IDENTITY_H_

namespace torch::jit {
struct Graph;
}  // namespace torch::jit

namespace ns {

// Replaces aten::__is__ and aten::__isnot__ by a constant:
// - Two values are one tensor if equal ops without side effects compute them
//   from the same inputs. LibTorch merges such ops before it runs a graph, but
//   not if a pass has inserted something between them.
//
//     %k : Tensor = aten::unsqueeze(%x, %one)
//     %v : Tensor = aten::unsqueeze(%x, %one)
//     %same : bool = aten::__is__(%k, %v)        true
//
// - Two values are two tensors if different ops make them, or if an op makes
//   one and the caller the other. Two inputs of the graph may be one tensor: a
//   comparison of them stays.
// - None differs from all that cannot be None.
// An op with a tensor that is written in place does not equal any other.
// Returns whether anything was replaced.
bool ResolveIdentity(torch::jit::Graph& graph);

}  // namespace ns

#endif  // IR_FLATTEN_RESOLVE_IDENTITY_H_
