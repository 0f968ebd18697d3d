// Makes out-of-place ops of those that work in place, so that what they compute
// can be quantized.
#ifndef PASSES_QUANTIZATION_REMOVE_MUTATION_H_
#define PASSES_QUANTIZATION_REMOVE_MUTATION_H_

#include <memory>

namespace torch::jit {
struct Graph;
}  // namespace torch::jit

namespace ns {

// Rewrites `graph`, that of a frozen model, where nothing else sees what an op
// writes, as LibTorch's RemoveTensorMutation and ReplaceIdleDropouts do.
// Besides, lists of tensors that only grow get a name for each length:
//
//   %all : Tensor[] = prim::ListConstruct(%a)
//   %x : Tensor = aten::cat(%all, %one)
//   %same : Tensor[] = aten::append(%all, %x)
//   %y : Tensor = aten::cat(%all, %one)
// becomes
//   %all : Tensor[] = prim::ListConstruct(%a)
//   %x : Tensor = aten::cat(%all, %one)
//   %longer : Tensor[] = prim::ListConstruct(%a, %x)
//   %y : Tensor = aten::cat(%longer, %one)
//
// The graph computes what it did. Throws what LibTorch throws.
void RemoveMutation(const std::shared_ptr<torch::jit::Graph>& graph);

}  // namespace ns

#endif  // PASSES_QUANTIZATION_REMOVE_MUTATION_H_
