// Says whether pair sums of a float layer could saturate once it runs in int8.
#ifndef PASSES_QUANTIZATION_LAYERS_LAYER_SATURATION_H_
#define PASSES_QUANTIZATION_LAYERS_LAYER_SATURATION_H_

#include <ATen/core/Tensor.h>

#include "passes/quantization/qconfig/quantization_target.h"

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

// Whether the kernel that runs `layer`, a linear layer or a convolution, in
// int8 has pair sums that saturate on `target` (quantization_target.h). A layer
// whose weight or padding only a run tells counts as saturating where some
// kernel of convolutions does; so do all transposed convolutions for oneDNN.
bool HasSaturatingKernel(const torch::jit::Node& layer,
                         QuantizationTarget target);

// Whether some input of 0..255 takes a pair sum out of the range of int16 on
// `target`, when the layer has `weight`: quantized to qint8, per tensor or per
// channel. Where the target does not say which products make a pair, any two of
// an output channel may. True where that is not known: if `weight` has another
// dtype, the layer is transposed, or only a run tells its weight or padding.
bool CanSaturate(const torch::jit::Node& layer, const at::Tensor& weight,
                 QuantizationTarget target);

}  // namespace ns

#endif  // PASSES_QUANTIZATION_LAYERS_LAYER_SATURATION_H_
