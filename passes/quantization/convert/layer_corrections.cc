#include "passes/quantization/convert/layer_corrections.h"

#include <iterator>

namespace ns {

LayerCorrections OnlyFor(const std::set<std::string>& layers,
                         const LayerCorrections& corrections) {
  LayerCorrections only = corrections;
  const auto drop = [&](std::map<std::string, at::Tensor>& tensors) {
    for (auto it = tensors.begin(); it != tensors.end();) {
      it = layers.count(it->first) != 0 ? std::next(it) : tensors.erase(it);
    }
  };
  drop(only.bias_shifts);
  drop(only.weights);
  if (corrections.corrects_bias != nullptr) {
    only.corrects_bias = [layers, corrects = corrections.corrects_bias](
                             const std::string& layer) {
      return layers.count(layer) != 0 && corrects(layer);
    };
  }
  return only;
}

LayerCorrections Joined(LayerCorrections corrections,
                        const LayerCorrections& added) {
  for (const auto& [layer, shift] : added.bias_shifts) {
    corrections.bias_shifts[layer] = shift;
  }
  for (const auto& [layer, weight] : added.weights) {
    corrections.weights[layer] = weight;
  }
  if (added.corrects_bias != nullptr) {
    corrections.corrects_bias = added.corrects_bias;
  }
  return corrections;
}

}  // namespace ns
