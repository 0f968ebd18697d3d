// Packs a quantized layer anew, with another weight and bias.
#ifndef PASSES_REWRITE_REPACK_LAYER_H_
#define PASSES_REWRITE_REPACK_LAYER_H_

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <cstdint>

#include "absl/status/statusor.h"

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

// What a layer of LibTorch's packed objects is made of.
struct LayerParameters {
  // Quantized, see CheckLayerWeight (passes/rewrite/prepack.h). In float of
  // layers that compute in half precision, which RepackLayer refuses.
  at::Tensor weight;
  // Float; undefined for none.
  at::Tensor bias;
  // Of convolutions; 1 of linear layers.
  int64_t groups = 1;
};

// Returns the parameters of `node`, a quantized linear layer or
// convolution, static or dynamic. Error: a refusal (ir/base/refusal.h) where it
// is another op or one of this library (namespace ns), or its packed parameters
// are no constant.
absl::StatusOr<LayerParameters> PackedParametersOf(
    const torch::jit::Node& node);

// Returns new packed parameters for `node`, as above: weight, bias and groups
// of `layer`, with stride, padding and dilation of `node`, packed by the
// quantized engine that is set. `node` is not changed. Errors: as above, and
// those of Prepack (passes/rewrite/prepack.h).
absl::StatusOr<c10::IValue> RepackLayer(const torch::jit::Node& node,
                                        const LayerParameters& layer);

}  // namespace ns

#endif  // PASSES_REWRITE_REPACK_LAYER_H_
