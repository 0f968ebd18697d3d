// Finds pairs of layers for cross-layer equalization: each output channel of
// the first can be divided by a positive factor, and what the second computes
// with that channel multiplied by it, without changing the model.
#ifndef PASSES_QUANTIZATION_RESCALE_LAYER_PAIRS_H_
#define PASSES_QUANTIZATION_RESCALE_LAYER_PAIRS_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "passes/quantization/rescale/channel_flow.h"
#include "passes/quantization/rescale/scaled_layer.h"

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

// Two linear layers or convolutions. Nothing but the second reads the output of
// the first, through ops that let factors pass (ChannelFactors::Past), and one
// clamp at most.
struct LayerPair {
  // Both are owned by the ScaledLayers that PairFrom was given.
  ScaledLayer* first = nullptr;
  ScaledLayer* second = nullptr;
  torch::jit::Node* second_node = nullptr;
  // How many inputs of `second` belong to each output channel of `first`, side
  // by side: 1, or the pixels of an image that is flattened in between.
  int64_t inputs_a_channel = 1;
  // The clamp between them, which has the lower bound 0: relu6, hardtanh or
  // clamp. Null for none. It lets no factors pass as it is: the caller must
  // give each channel a bound of its own, or keep what it lets through.
  torch::jit::Node* clamp = nullptr;
  // Its upper bound.
  double clamp_max = 0;
  // The input of the clamp, and which dimension of it has the channels.
  ChannelFlow clamped;
};

// Returns the pair whose first layer is `layer`, a node that IsScalableLayer
// (scaled_layer.h). `factors` is made of the graph that `layer` stands in.
// `layers` makes and owns both ScaledLayers; nothing is scaled yet. Error: a
// refusal (ir/base/refusal.h) where no such second layer is behind it, or one
// of the two cannot be scaled (ScaledLayers::At).
absl::StatusOr<LayerPair> PairFrom(torch::jit::Node& layer,
                                   const ChannelFactors& factors,
                                   ScaledLayers& layers);

}  // namespace ns

#endif  // PASSES_QUANTIZATION_RESCALE_LAYER_PAIRS_H_
