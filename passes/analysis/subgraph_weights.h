// Finds the weights of a subgraph, with its batch norms folded into them.
#ifndef PASSES_ANALYSIS_SUBGRAPH_WEIGHTS_H_
#define PASSES_ANALYSIS_SUBGRAPH_WEIGHTS_H_

#include <ATen/core/Tensor.h>

#include <vector>

#include "absl/status/statusor.h"
#include "passes/analysis/node_weights.h"
#include "passes/analysis/subgraph.h"

namespace ns {

// Returns the weights of the base op. When a batch norm follows it in
// `subgraph`, the norm's scale, gamma / sqrt(var + eps), is folded into them,
// channel by channel, as fusing before quantization does. So are the constants
// of its FoldableAffines (passes/analysis/constant_affine.h), as freezing does:
// the weight is a float one then. Error: as NodeWeights and FoldBatchNorm.
absl::StatusOr<std::vector<NamedTensor>> SubgraphWeights(
    const Subgraph& subgraph);

// Returns what the weights of the base op would have to be for SubgraphWeights
// to return `folded`, tensors in their order and shapes. Where a norm's scale
// is 0 any weight would do, and it is 0. Error: as SubgraphWeights.
absl::StatusOr<std::vector<at::Tensor>> UnfoldBatchNorms(
    const Subgraph& subgraph, std::vector<at::Tensor> folded);

// Returns `weight` with the scale of `batch_norm` (an aten::batch_norm) folded
// in, and `weight` itself when the statistics of the norm are not constant.
// `base` is the convolution or linear that owns the weight. Error: the norm and
// the weight have different numbers of channels.
absl::StatusOr<at::Tensor> FoldBatchNorm(const at::Tensor& weight,
                                         const torch::jit::Node& base,
                                         const torch::jit::Node& batch_norm);

}  // namespace ns

#endif  // PASSES_ANALYSIS_SUBGRAPH_WEIGHTS_H_
