// The layers of a prepared model whose weights will be quantized, and whether
// their sums can saturate with weights of 8 bits.
#ifndef NS_QUANTIZATION_ACCURATE_WEIGHTED_LAYERS_H_
#define NS_QUANTIZATION_ACCURATE_WEIGHTED_LAYERS_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>

#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"
#include "passes/quantization/convert/conversion_cache.h"
#include "passes/quantization/qconfig/quantization_target.h"
#include "passes/runtime/observers/observer_config.h"

namespace ns {

struct WeightedLayer {
  // The float weight.
  at::Tensor weight;
  // How the model quantizes the weight now, and how it would with 8 bits (full)
  // and with 7 (narrow: NarrowWeights in target_mapping.h).
  ObserverConfig present;
  ObserverConfig full;
  ObserverConfig narrow;
  // Whether int16 pair sums can saturate on the target with activations of 8
  // bits and a weight that is quantized as `full` says (CanSaturate in
  // passes/quantization/layers/layer_saturation.h).
  bool can_saturate = true;
};

// Returns the layers whose weight is constant and will be qint8, by index in
// PreparedModel::layers. `target` is where the model will run. `cache`
// quantizes the weights and keeps the results for later calls. Error: a model
// that is not prepared.
absl::StatusOr<std::map<int64_t, WeightedLayer>> FindWeightedLayers(
    const ModelGraph& prepared, QuantizationTarget target,
    ConversionCache& cache);

}  // namespace ns

#endif  // NS_QUANTIZATION_ACCURATE_WEIGHTED_LAYERS_H_
