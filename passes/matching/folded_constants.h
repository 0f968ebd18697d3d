// Finds the multiplications by constants, and the additions of constants, that
// the other model has folded into the weight and bias of its convolution.
#ifndef PASSES_MATCHING_FOLDED_CONSTANTS_H_
#define PASSES_MATCHING_FOLDED_CONSTANTS_H_

#include <vector>

#include "passes/analysis/subgraph.h"

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

// Returns the nodes after `subgraph`, which ends with a convolution or a norm,
// in order: those with a ConstantAffine (passes/analysis/constant_affine.h)
// that bring its weight and bias nearer to those of `other`, its match in the
// other model, and the casts before each of them. torch.jit.freeze folds such
// ops into a float convolution, and the quantized model was made without it.
// Empty where the weights tell of no folding: an op that the other model has
// lost is none.
//
//   subgraph: %c = quantized::conv2d(%x, %packed, ...)
//             %y = quantized::mul(%c, %number)
//   other:    %y = aten::conv2d(%x, <weight * number>, <bias * number>, ...)
//   ->  {%y = quantized::mul(%c, %number)}
std::vector<torch::jit::Node*> FoldedConstants(const Subgraph& subgraph,
                                               const Subgraph& other);

}  // namespace ns

#endif  // PASSES_MATCHING_FOLDED_CONSTANTS_H_
