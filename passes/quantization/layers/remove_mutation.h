// Replaces in-place ops by out-of-place ones, so that what they compute can be
// quantized.
#ifndef PASSES_QUANTIZATION_LAYERS_REMOVE_MUTATION_H_
#define PASSES_QUANTIZATION_LAYERS_REMOVE_MUTATION_H_

#include <memory>

namespace torch::jit {
struct Graph;
}  // namespace torch::jit

namespace ns {

// Rewrites in-place ops of `graph`, the graph of a frozen model. First come
// ReplaceIdleDropouts (passes/rewrite/idle_dropouts.h) and then LibTorch's
// RemoveTensorMutation: an op that writes what something else could see, or
// that has no equal form out-of-place (EqualOutOfPlace), stays as it is. An op
// whose tensor it alone takes does not stay, even where that ends up in a list
// or dict from which others are read. Then each list of tensors that is only
// read and appended to, all in one block, and that no other value can refer to,
// becomes a new list for each length:
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
// The graph computes what it did before. Throws what LibTorch throws.
void RemoveMutation(const std::shared_ptr<torch::jit::Graph>& graph);

}  // namespace ns

#endif  // PASSES_QUANTIZATION_LAYERS_REMOVE_MUTATION_H_
