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
// transposed convolution is a GEMM; one of which only a run tells the padding
// is taken for the kernel that saturates in more modes.
bool HasSaturatingKernel(const torch::jit::Node& layer,
                         kernels::SaturationMode mode);

// Whether some input of 0..255 takes a pair sum out of the range of int16 in
// `mode`, when the layer has `weight`: quantized to qint8, per tensor or per
// channel. True where that is not known.
bool CanSaturate(const torch::jit::Node& layer, const at::Tensor& weight,
                 kernels::SaturationMode mode);

}  // namespace ns

#endif  // PASSES_QUANTIZATION_LAYER_SATURATION_H_
