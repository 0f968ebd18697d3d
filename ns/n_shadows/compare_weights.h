// Compares weights before and after quantization, from the float model alone.
#ifndef NS_N_SHADOWS_COMPARE_WEIGHTS_H_
#define NS_N_SHADOWS_COMPARE_WEIGHTS_H_

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"
#include "passes/quantization/qconfig/qconfig_mapping.h"
#include "passes/runtime/statistics/pair_statistics.h"

namespace ns {

struct QuantizedWeight {
  // FloatSubgraph::name, and "weight" or a recurrent layer's "weight_ih_l0".
  std::string subgraph;
  std::string parameter;
  // QConfigName.
  std::string qconfig;
  // The float weight, with a batch norm behind the op folded in.
  at::Tensor value;
  // `value`, quantized and dequantized.
  at::Tensor quantized;
  // Of `value` (x) and `quantized` (y).
  PairStatistics statistics;
};

// Quantizes the weight of every subgraph of `model` that has a constant one, as
// `mapping` says (reference: _n_shadows_compare_weights, which knows functional
// linears only), in order of execution. Left out are norms, subgraphs without a
// qconfig, and those whose qconfig no kernel supports. Error: an invalid
// regular expression; or a qconfig that no kernel supports, and that the
// mapping sets for the op or the module by name.
absl::StatusOr<std::vector<QuantizedWeight>> NShadowsCompareWeights(
    const ModelGraph& model, const QConfigMapping& mapping);

}  // namespace ns

#endif  // NS_N_SHADOWS_COMPARE_WEIGHTS_H_
