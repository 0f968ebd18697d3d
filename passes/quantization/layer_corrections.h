// What may be different in single layers of a model that is converted.
#ifndef PASSES_QUANTIZATION_LAYER_CORRECTIONS_H_
#define PASSES_QUANTIZATION_LAYER_CORRECTIONS_H_

#include <ATen/core/Tensor.h>

#include <functional>
#include <map>
#include <set>
#include <string>

namespace ns {

// Layers are named by PreparedLayer::name.
struct LayerCorrections {
  // Whether the bias of a layer is corrected (bias_correction.h), if the means
  // of its input were gathered. Null: none.
  std::function<bool(const std::string& layer)> corrects_bias;
  // What is added to the bias instead, of shape [outputs].
  std::map<std::string, at::Tensor> bias_shifts;
  // What a weight is quantized to, in the place of the nearest integers: of the
  // same shape, scales and zero points.
  std::map<std::string, at::Tensor> weights;
};

// What is left of `corrections` for `layers`.
LayerCorrections OnlyFor(const std::set<std::string>& layers,
                         const LayerCorrections& corrections);

// Both; `added` where they differ.
LayerCorrections Joined(LayerCorrections corrections,
                        const LayerCorrections& added);

}  // namespace ns

#endif  // PASSES_QUANTIZATION_LAYER_CORRECTIONS_H_
