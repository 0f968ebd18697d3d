// Makes up in the bias of a layer for what quantizing its weight shifts.
#ifndef PASSES_QUANTIZATION_LAYERS_BIAS_CORRECTION_H_
#define PASSES_QUANTIZATION_LAYERS_BIAS_CORRECTION_H_

#include <ATen/core/Tensor.h>

#include <optional>

#include "absl/status/statusor.h"
#include "passes/runtime/observers/values/input_means.h"

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

// Returns how `layer` goes over its input, where its bias can be corrected: a
// linear layer, or a convolution that is not transposed, with a constant weight
// and a constant bias or none. Nothing for other nodes.
std::optional<ConvGeometry> CorrectableGeometry(const torch::jit::Node& layer);

// Returns by how much the output of a layer is lower on average, channel by
// channel, when it computes with `quantized` in the place of `weight`, which is
// what its bias has to grow by:
//
//   shift[o] = sum over c, t: (weight - quantized)[o, c, t] mean[c, t]
//
// `weight` is [out, in / groups, space...] and `quantized` the same, in float;
// `mean` is InputMeans::Mean; where that is undefined, or the sum is not
// finite, or sizes do not fit, so is the shift. `weight` has two dimensions at
// least, and elements. Source: Nagel et al., "Data-Free Quantization Through
// Weight Equalization and Bias Correction", 2019, equation 11, with means that
// were measured.
at::Tensor BiasShift(const at::Tensor& weight, const at::Tensor& quantized,
                     const at::Tensor& mean);

// Adds `shift`, [outputs], to the bias of `layer`, for which
// CorrectableGeometry has something; it becomes the bias where there is none.
// Both are float32. Returns whether that changes it: not where the shift is
// undefined or zero. Error: a bias that is not constant.
absl::StatusOr<bool> ShiftBias(const at::Tensor& shift,
                               torch::jit::Node& layer);

}  // namespace ns

#endif  // PASSES_QUANTIZATION_LAYERS_BIAS_CORRECTION_H_
