// Gives float layers weights that have the values of quantized ones.
#ifndef PASSES_QUANTIZATION_LAYERS_ROUNDED_WEIGHTS_H_
#define PASSES_QUANTIZATION_LAYERS_ROUNDED_WEIGHTS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "passes/quantization/layers/layer_site.h"

namespace ns {

struct RoundedWeights {
  // Whether the layer has changed: weights of half precision may have the
  // values already.
  bool changed = false;
  // The quantized weights, in the order in which the layer has them; empty for
  // half precision, which has no scales.
  std::vector<at::Tensor> weights;
};

// Returns whether layers like the one at `site` have weights that RoundWeights
// rounds: linear layers, convolutions, embeddings and recurrent layers, but not
// norms.
bool HasWeightsToRound(const LayerSite& site);

// Replaces the weights of the layer, but not its biases. HasWeightsToRound must
// be true of `site`; this is not checked. Where `site.weight` is for integers,
// they become quantized constants that are dequantized as the graph runs, which
// makes the saved model a quarter of the size:
//
//   %w = aten::dequantize(%quantized)
//   %y = aten::conv2d(%x, %w, ...)
//
// Where it is for half precision, they become float constants that are rounded
// to half precision and back:
//
//   %y = aten::conv2d(%x, %rounded, ...)
//
// Error: a refusal (ir/base/refusal.h); the layer is then as it was. A layer
// whose weight comes out of a dequantize is refused: it is quantized already.
absl::StatusOr<RoundedWeights> RoundWeights(const LayerSite& site);

}  // namespace ns

#endif  // PASSES_QUANTIZATION_LAYERS_ROUNDED_WEIGHTS_H_
