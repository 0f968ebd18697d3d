// Finds the bias of a subgraph, with its batch norms folded into it.
#ifndef PASSES_ANALYSIS_SUBGRAPH_BIAS_H_
#define PASSES_ANALYSIS_SUBGRAPH_BIAS_H_

#include <ATen/core/Tensor.h>

#include <optional>

#include "absl/status/statusor.h"
#include "passes/analysis/subgraph.h"

namespace ns {

// Returns the bias of the base op, a convolution or linear whose weight is
// constant or packed: [out], float; undefined where it has none. When a batch
// norm follows it in `subgraph`, the bias is the one after folding, (bias -
// mean) gamma / sqrt(var + eps) + beta. Absent for other ops, and where the
// bias or the norm is not constant. Error: a packed object that cannot be
// unpacked; a norm with another number of channels.
absl::StatusOr<std::optional<at::Tensor>> SubgraphBias(
    const Subgraph& subgraph);

}  // namespace ns

#endif  // PASSES_ANALYSIS_SUBGRAPH_BIAS_H_
