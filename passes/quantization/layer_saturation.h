// Says whether pair sums of a float layer could saturate once it runs in int8.
#ifndef PASSES_QUANTIZATION_LAYER_SATURATION_H_
#define PASSES_QUANTIZATION_LAYER_SATURATION_H_

#include <ATen/core/Tensor.h>

#include "passes/kernels/saturation_mode.h"

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

// Whether the kernel that runs `layer`, a linear layer or a convolution, in
// int8 has pair sums that saturate in `mode` (kernels/saturation_mode.h). A
// transposed convolution counts as a GEMM. Any other layer whose weight or
// padding only a run tells counts as depthwise, which saturates in more modes.
bool HasSaturatingKernel(const torch::jit::Node& layer,
                         kernels::SaturationMode mode);

// Whether some input of 0..255 takes a pair sum out of the range of int16 in
// `mode`, when the layer has `weight`: quantized to qint8, per tensor or per
// channel. True where that is not known: if `weight` has another dtype, the
// layer is transposed, or only a run tells its weight or padding.
bool CanSaturate(const torch::jit::Node& layer, const at::Tensor& weight,
                 kernels::SaturationMode mode);

}  // namespace ns

#endif  // PASSES_QUANTIZATION_LAYER_SATURATION_H_
