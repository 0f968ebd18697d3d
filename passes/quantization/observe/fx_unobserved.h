// Finds the values that PyTorch's prepare_fx leaves unobserved by mistake.
#ifndef PASSES_QUANTIZATION_OBSERVE_FX_UNOBSERVED_H_
#define PASSES_QUANTIZATION_OBSERVE_FX_UNOBSERVED_H_

#include <functional>

#include "llvm/ADT/DenseSet.h"

namespace torch::jit {
struct Graph;
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// prepare_fx of PyTorch 1.13 takes a tensor x for one of integers when
// x.size(i) becomes an argument, as it is or divided, of permute, repeat,
// reshape, size, transpose, unsqueeze or view:
//
//   n = x.size(0)
//   y = y.view(n, -1)
//
// and neither observes it nor quantizes what computes it
// (propagate_dtypes_for_known_nodes in torch/ao/quantization/fx/prepare.py).
// Returns these tensors. `hands_on` returns whether the output of an op, such
// as a pool, shares the observer of its first input: then the mistake reaches
// that input, too. It is also asked about the node of the graph's inputs, for
// which it must return false. The graph is not changed.
llvm::DenseSet<const torch::jit::Value*> FindUnobservedByFx(
    torch::jit::Graph& graph,
    const std::function<bool(const torch::jit::Node&)>& hands_on);

}  // namespace ns

#endif  // PASSES_QUANTIZATION_OBSERVE_FX_UNOBSERVED_H_
