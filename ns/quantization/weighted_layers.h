// The layers of a prepared model whose weights are quantized, and what bits
// their kernels allow.
#ifndef NS_QUANTIZATION_WEIGHTED_LAYERS_H_
#define NS_QUANTIZATION_WEIGHTED_LAYERS_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>

#include "absl/status/statusor.h"
#include "ir/model_graph.h"
#include "passes/kernels/saturation_mode.h"
#include "passes/quantization/conversion_cache.h"
#include "passes/runtime/observers/observer_config.h"

namespace ns {

struct WeightedLayer {
  // In float.
  at::Tensor weight;
  // How it is to be quantized, and how with 8 and with 7 bits (NarrowWeights in
  // target_mapping.h).
  ObserverConfig present;
  ObserverConfig full;
  ObserverConfig narrow;
  // Whether sums can saturate on the target with activations and weights of 8
  // bits (passes/quantization/layer_saturation.h).
  bool can_saturate = true;
};

// Returns those with a constant weight that is quantized to qint8, by index in
// PreparedModel::layers. `cache` quantizes the weights. Error: a model that is
// not prepared.
absl::StatusOr<std::map<int64_t, WeightedLayer>> FindWeightedLayers(
    const ModelGraph& prepared, kernels::SaturationMode target,
    ConversionCache& cache);

}  // namespace ns

#endif  // NS_QUANTIZATION_WEIGHTED_LAYERS_H_
