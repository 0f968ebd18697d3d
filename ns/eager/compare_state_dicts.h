// Compares the weights of two state dicts.
#ifndef NS_EAGER_COMPARE_STATE_DICTS_H_
#define NS_EAGER_COMPARE_STATE_DICTS_H_

#include "absl/status/statusor.h"
#include "ns/eager/state_dict.h"
#include "ns/result/comparison_result.h"

namespace ns {

// Compares the weights that CompareWeights (ns/eager/compare_weights.h) pairs.
// A layer is a module of the quantized model that has weights, in the order of
// its dict. Its name is its path, "lstm", or its key where the path is empty.
// `fqn` is the path on each side: "conv" and the float "conv.0". Its weights
// have the names of the float ones, "weight_ih_l0". There are no ops: `op` and
// `subgraph` are empty. `matching` is "keys". Weights of either side without a
// counterpart are unmatched, with their key as `fqn`. Weights of other shapes
// than their counterparts get a warning. Paths of files are left empty.
//
// Nothing is folded: a batch norm that quantization folded into a convolution
// shows as an error of the convolution, unless the float model was fused
// before.
//
// Each weight has histograms where `histograms` asks for them.
//
// Error: the dicts have no weights in common.
absl::StatusOr<ComparisonResult> CompareStateDicts(
    const StateDict& float_dict, const StateDict& quantized_dict,
    bool histograms = false);

}  // namespace ns

#endif  // NS_EAGER_COMPARE_STATE_DICTS_H_
