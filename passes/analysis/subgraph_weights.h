// The weights of a subgraph, with what was fused into them.
#ifndef PASSES_ANALYSIS_SUBGRAPH_WEIGHTS_H_
#define PASSES_ANALYSIS_SUBGRAPH_WEIGHTS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "passes/analysis/node_weights.h"
#include "passes/analysis/subgraph.h"

namespace ns {

// The weights of the base op. Where a batch norm follows it in `subgraph`, its
// scale gamma / sqrt(var + eps) is folded into them, channel by channel, as
// fusing before quantization does.
absl::StatusOr<std::vector<NamedTensor>> SubgraphWeights(
    const Subgraph& subgraph);

// `weight` with the scale of `batch_norm` (an aten::batch_norm) folded in.
// `base` is the convolution or linear that owns the weight. A batch norm whose
// statistics are not constant gives `weight` back. Error: its channels are not
// those of the weight.
absl::StatusOr<at::Tensor> FoldBatchNorm(const at::Tensor& weight,
                                         const torch::jit::Node& base,
                                         const torch::jit::Node& batch_norm);

}  // namespace ns

#endif  // PASSES_ANALYSIS_SUBGRAPH_WEIGHTS_H_
