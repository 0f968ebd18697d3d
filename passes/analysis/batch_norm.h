// What an aten::batch_norm does to the layer in front of it.
#ifndef PASSES_ANALYSIS_BATCH_NORM_H_
#define PASSES_ANALYSIS_BATCH_NORM_H_

#include <ATen/core/Tensor.h>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

// The constants with which an aten::batch_norm is called in evaluation, its
// input aside. Each tensor has one number for each channel.
struct BatchNorm {
  at::Tensor mean;
  at::Tensor variance;
  at::Tensor weight;  // gamma; undefined: ones
  at::Tensor bias;    // beta; undefined: zeros
  double eps = 0;
};

// Those of `node`. Error: a refusal (ir/refusal.h) where it computes its
// statistics itself, has none, or is given what is not constant.
absl::StatusOr<BatchNorm> BatchNormOf(const torch::jit::Node& node);

// The input of `node` called `name`, a constant tensor; undefined for None.
// Error: the refusal "<what> is not constant".
absl::StatusOr<at::Tensor> ConstantTensorInput(const torch::jit::Node& node,
                                               absl::string_view name,
                                               absl::string_view what);

// gamma / sqrt(variance + eps), by which the norm multiplies each channel: in
// float for a `variance` in float, in double for one in double. `gamma`
// undefined: ones. Error: they have different numbers of channels.
absl::StatusOr<at::Tensor> BatchNormScale(const at::Tensor& variance,
                                          double eps, const at::Tensor& gamma);

// What the bias of the layer becomes, (bias - mean) * scale + beta, rounded as
// LibTorch's kernel does in the one type that `bias` and `norm` have. Error: as
// above.
absl::StatusOr<at::Tensor> BatchNormBias(const at::Tensor& bias,
                                         const BatchNorm& norm);

}  // namespace ns

#endif  // PASSES_ANALYSIS_BATCH_NORM_H_
