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

// Returns the constants of `node`, which must be an aten::batch_norm. Error: a
// refusal (ir/base/refusal.h) when it takes the statistics of its input, as in
// training, has no running statistics, or has an argument that is not constant.
// It does not check that the tensors have the same size; BatchNormScale and
// BatchNormBias do.
absl::StatusOr<BatchNorm> BatchNormOf(const torch::jit::Node& node);

// Returns the constant tensor that `node` has as its input `name`, a name of
// the op's schema; an undefined tensor for None. Error: the refusal "<what> is
// not constant".
absl::StatusOr<at::Tensor> ConstantTensorInput(const torch::jit::Node& node,
                                               absl::string_view name,
                                               absl::string_view what);

// Returns rsqrt(variance + eps) * gamma: what each output channel of the
// layer's weight is multiplied by, to the bit of PyTorch's fusion. Both tensors
// are float, or both double. An undefined `gamma` means ones. Error: they have
// different sizes.
absl::StatusOr<at::Tensor> BatchNormScale(const at::Tensor& variance,
                                          double eps, const at::Tensor& gamma);

// Which layer stands in front of the norm. PyTorch's fusions of the two
// (torch/nn/utils/fusion.py) round the bias in different orders.
enum class NormedLayer {
  kConv,    // (bias - mean) * rsqrt(variance + eps) * gamma + beta
  kLinear,  // (bias - mean) * (gamma * rsqrt(variance + eps)) + beta
};

// Returns the bias that the layer has after folding, to the bit of PyTorch's
// fusion. A layer without a bias has one of zeros: at::zeros_like(norm.mean).
// `bias` and the tensors of `norm` are all float, or all double. Error: they
// have different sizes.
absl::StatusOr<at::Tensor> BatchNormBias(const at::Tensor& bias,
                                         const BatchNorm& norm,
                                         NormedLayer layer);

}  // namespace ns

#endif  // PASSES_ANALYSIS_BATCH_NORM_H_
