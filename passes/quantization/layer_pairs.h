// Finds pairs of layers between which each channel can have a factor.
#ifndef PASSES_QUANTIZATION_LAYER_PAIRS_H_
#define PASSES_QUANTIZATION_LAYER_PAIRS_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "passes/quantization/channel_flow.h"
#include "passes/quantization/scaled_layer.h"

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

// A layer and the one that alone reads its values.
struct LayerPair {
  ScaledLayer* first = nullptr;
  ScaledLayer* second = nullptr;
  torch::jit::Node* second_node = nullptr;
  // How many inputs of `second` follow each other for a channel of `first`:
  // more than one behind flattening an image.
  int64_t inputs_a_channel = 1;
  // A clamp from 0 to `clamp_max` between them; null for none.
  torch::jit::Node* clamp = nullptr;
  double clamp_max = 0;
  // Where the channels of what the clamp takes are.
  ChannelFlow clamped;
};

// Returns the pair of which `layer` (IsScalableLayer in scaled_layer.h) is the
// first; its layers are those of `layers`. Error: a refusal when none is behind
// it.
absl::StatusOr<LayerPair> PairFrom(torch::jit::Node& layer,
                                   const ChannelFactors& factors,
                                   ScaledLayers& layers);

}  // namespace ns

#endif  // PASSES_QUANTIZATION_LAYER_PAIRS_H_
