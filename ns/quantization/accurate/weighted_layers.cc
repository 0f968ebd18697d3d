#include "ns/quantization/accurate/weighted_layers.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/ir/ir.h>

#include <cstddef>
#include <utility>

#include "ir/base/status.h"
#include "ns/quantization/model/target_mapping.h"
#include "passes/quantization/layers/constant_weights.h"
#include "passes/quantization/layers/int8_form.h"
#include "passes/quantization/layers/layer_saturation.h"
#include "passes/quantization/observe/prepared_model.h"
#include "passes/quantization/observe/strip_observers.h"
#include "passes/runtime/observers/observer_options.h"

namespace ns {

absl::StatusOr<std::map<int64_t, WeightedLayer>> FindWeightedLayers(
    const ModelGraph& prepared, QuantizationTarget target,
    ConversionCache& cache) {
  NS_ASSIGN_OR_RETURN(const PreparedModel record,
                      AttachedPreparedModel(prepared.module()));
  NS_ASSIGN_OR_RETURN(ModelGraph in_float, prepared.Clone());
  NS_ASSIGN_OR_RETURN(const auto bases, StripObservers(in_float));
  std::map<int64_t, WeightedLayer> layers;
  for (const auto& [index, base] : bases) {
    const absl::StatusOr<at::Tensor> weight =
        ConstantTensor(*base->input(PackedWeightInput(*base)), "its weight");
    NS_ASSIGN_OR_RETURN(
        const ObserverConfig config,
        ParseObserverConfig(record.layers[static_cast<size_t>(index)].weight));
    if (!weight.ok() || config.dtype != at::kQInt8) {
      continue;
    }
    WeightedLayer layer;
    layer.weight = *weight;
    layer.present = layer.full = config;
    layer.narrow = NarrowWeights(config);
    if (config == layer.narrow) {
      layer.full.quant_min = -127;
      layer.full.quant_max = 127;
    }
    const absl::StatusOr<at::Tensor> quantized =
        cache.Quantized(*weight, layer.full);
    layer.can_saturate =
        quantized.ok() && CanSaturate(*base, *quantized, target);
    layers[index] = std::move(layer);
  }
  return layers;
}

}  // namespace ns
