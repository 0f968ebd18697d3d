// Tells the conversion of a model which biases and weights of single layers to
// change.
#ifndef PASSES_QUANTIZATION_CONVERT_LAYER_CORRECTIONS_H_
#define PASSES_QUANTIZATION_CONVERT_LAYER_CORRECTIONS_H_

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
  // What is added to the bias of a layer, whatever corrects_bias says: float32,
  // [outputs].
  std::map<std::string, at::Tensor> bias_shifts;
  // The quantized weight of a layer, where its integers are not to be the
  // nearest ones: with the shape, scales and zero points that it would have.
  std::map<std::string, at::Tensor> weights;
};

// Returns `corrections` without those of layers that are not in `layers`.
LayerCorrections OnlyFor(const std::set<std::string>& layers,
                         const LayerCorrections& corrections);

// Returns all tensors of both, those of `added` where both have one for a
// layer, and corrects_bias of `added` unless that is null.
LayerCorrections Joined(LayerCorrections corrections,
                        const LayerCorrections& added);

}  // namespace ns

#endif  // PASSES_QUANTIZATION_CONVERT_LAYER_CORRECTIONS_H_
