// Compares weights before and after quantization, from the float model alone.
#ifndef NS_N_SHADOWS_COMPARE_WEIGHTS_H_
#define NS_N_SHADOWS_COMPARE_WEIGHTS_H_

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/model_graph.h"
#include "passes/quantization/qconfig_mapping.h"
#include "passes/runtime/statistics/pair_statistics.h"

namespace ns {

struct QuantizedWeight {
  // FloatSubgraph::name, and "weight" or a recurrent layer's "weight_ih_l0".
  std::string subgraph;
  std::string parameter;
  // QConfigName.
  std::string qconfig;
  // The weight, with a batch norm behind the op folded in, quantized and
  // dequantized.
  at::Tensor value;
  at::Tensor quantized;
  PairStatistics statistics;
};

// Quantizes the weight of every subgraph of `model` that has a constant one, as
// `mapping` says (reference: _n_shadows_compare_weights, which knows functional
// linears only). Subgraphs without a qconfig are left out. Errors: a regular
// expression that is none, and a qconfig that the mapping sets for an op or a
// module by name and that no kernel supports.
absl::StatusOr<std::vector<QuantizedWeight>> NShadowsCompareWeights(
    const ModelGraph& model, const QConfigMapping& mapping);

}  // namespace ns

#endif  // NS_N_SHADOWS_COMPARE_WEIGHTS_H_
