// Finds the bias of a subgraph, with its batch norms folded into it.
#ifndef PASSES_ANALYSIS_SUBGRAPH_BIAS_H_
#define PASSES_ANALYSIS_SUBGRAPH_BIAS_H_

#include <ATen/core/Tensor.h>

#include <optional>

#include "absl/status/statusor.h"
#include "passes/analysis/subgraph.h"

namespace ns {

// Returns the bias of the base op, a vector with an element for each output
// channel. It is the one that is packed with the weight, or the argument "bias"
// of a convolution, a linear layer or a norm; of a recurrent layer or cell it
// is its RecurrentBias. The tensor is undefined where the op has no bias. When
// a batch norm follows the base op directly in `subgraph`, it is the bias after
// folding, also where the op itself has none: (bias - mean) * gamma / sqrt(var
// + eps) + beta. The constants of its FoldableAffines
// (passes/analysis/constant_affine.h) are folded, too.
//
// Returns nullopt for all other ops, and where the bias or an argument of the
// batch norm is not constant. Error: a packed object that cannot be unpacked; a
// batch norm with another number of channels.
absl::StatusOr<std::optional<at::Tensor>> SubgraphBias(
    const Subgraph& subgraph);

}  // namespace ns

#endif  // PASSES_ANALYSIS_SUBGRAPH_BIAS_H_
