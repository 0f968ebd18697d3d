// Reads ops that multiply by a constant or add one, which can be folded into
// the convolution before them.
#ifndef PASSES_ANALYSIS_CONSTANT_AFFINE_H_
#define PASSES_ANALYSIS_CONSTANT_AFFINE_H_

#include <ATen/core/Tensor.h>

#include <optional>
#include <vector>

#include "passes/analysis/subgraph.h"

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

// x * scale + shift. Both are float64 and have one element, or one for each
// channel of a convolution.
struct ConstantAffine {
  at::Tensor scale;
  at::Tensor shift;
};

// Returns what `node` computes of its first input: an aten::mul, div, add or
// sub, or a quantized::mul or add with or without a ReLU, whose other operand
// is a constant: a number, or a tensor with one element for each channel of a
// convolution with `spatial_dims` dimensions, also one that is quantized.
// Absent for other nodes.
std::optional<ConstantAffine> ConstantAffineOf(const torch::jit::Node& node,
                                               int spatial_dims);

// Returns the nodes of `subgraph` with a ConstantAffine that follow its base, a
// convolution, with only casts, batch norms and such nodes in between: freezing
// folds them as it folds the norms. A module that trains a convolution with its
// norm has the scale in the weight already, and divides by it: its nodes are
// left out. Empty for other subgraphs.
std::vector<const torch::jit::Node*> FoldableAffines(const Subgraph& subgraph);

// Returns the number of spatial dimensions of a convolution; absent for other
// nodes, transposed convolutions among them.
std::optional<int> SpatialDimsOfConv(const torch::jit::Node& node);

}  // namespace ns

#endif  // PASSES_ANALYSIS_CONSTANT_AFFINE_H_
