// Computes how an aten::batch_norm changes the weight and bias of the layer in
// front of it, when the two become one layer.
#ifndef PASSES_ANALYSIS_BATCH_NORM_H_
#define PASSES_ANALYSIS_BATCH_NORM_H_

#include <ATen/core/Tensor.h>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

// The constant arguments of an aten::batch_norm in evaluation, all but its
// input. Each tensor has one number for each channel.
struct BatchNorm {
  at::Tensor mean;
  at::Tensor variance;
  at::Tensor weight;  // gamma; undefined means ones
  at::Tensor bias;    // beta; undefined means zeros
  double eps = 0;
};

// Returns the constants of `node`, an aten::batch_norm. Error: a refusal
// (ir/refusal.h) when it computes its statistics itself, has none, or has an
// argument that is not constant.
absl::StatusOr<BatchNorm> BatchNormOf(const torch::jit::Node& node);

// Returns the input of `node` called `name`, a constant tensor; undefined for
// None.
// Error: the refusal "<what> is not constant".
absl::StatusOr<at::Tensor> ConstantTensorInput(const torch::jit::Node& node,
                                               absl::string_view name,
                                               absl::string_view what);

// Returns gamma / sqrt(variance + eps), by which the norm multiplies each
// channel, in the type of `variance`: float or double. An undefined `gamma`
// means ones. Error: they have different numbers of channels.
absl::StatusOr<at::Tensor> BatchNormScale(const at::Tensor& variance,
                                          double eps, const at::Tensor& gamma);

// Which layer stands in front of the norm: PyTorch rounds the bias of each in
// its own order (torch/nn/utils/fusion.py).
enum class NormedLayer {
  kConv,    // (bias - mean) * rsqrt(variance + eps) * gamma + beta
  kLinear,  // (bias - mean) * (gamma * rsqrt(variance + eps)) + beta
};

// Returns the bias that the layer has after folding, to the bit of PyTorch's
// fusion. `bias` and `norm` must have the same type. Error: they have different
// numbers of channels.
absl::StatusOr<at::Tensor> BatchNormBias(const at::Tensor& bias,
                                         const BatchNorm& norm,
                                         NormedLayer layer);

}  // namespace ns

#endif  // PASSES_ANALYSIS_BATCH_NORM_H_
