// Finds what a float layer computes with when only its weights are quantized.
#ifndef PASSES_INSTRUMENT_QUANTIZED_WEIGHTS_H_
#define PASSES_INSTRUMENT_QUANTIZED_WEIGHTS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "passes/matching/graph_matcher.h"
#include "passes/rewrite/replace_tensors.h"

namespace ns {

// Returns, for each weight of A's base op, the tensor that makes A's subgraph
// compute with B's weight: that weight dequantized, in float32 and contiguous,
// divided by the scale of the batch norms that A has behind it and B in its
// weight. Empty where B's weights equal A's with these norms folded in, and
// where the two sides do not have the same number of weights of the same
// shapes. Error: weights that cannot be read (SubgraphWeights).
absl::StatusOr<std::vector<TensorReplacement>> QuantizedWeights(
    const SubgraphMatch& match);

}  // namespace ns

#endif  // PASSES_INSTRUMENT_QUANTIZED_WEIGHTS_H_
