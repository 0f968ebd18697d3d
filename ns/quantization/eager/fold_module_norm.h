// Folds a batch norm module into the layer in front of it.
#ifndef NS_QUANTIZATION_EAGER_FOLD_MODULE_NORM_H_
#define NS_QUANTIZATION_EAGER_FOLD_MODULE_NORM_H_

#include <torch/csrc/jit/api/module.h>

#include "absl/status/statusor.h"

namespace ns {

// Returns a copy of `layer`, a convolution, transposed convolution or linear
// layer, whose output is what `norm` gives for that of `layer` in evaluation:
//
//   weight' = weight * gamma / sqrt(variance + eps), for each output channel
//   bias' = (bias - mean) * gamma / sqrt(variance + eps) + beta
//
// The results are those of torch.nn.utils.fusion, to the bit, also for groups
// of transposed convolutions. The copy has a bias where `layer` had none.
// Error: modules that compute something else, or a norm of another number of
// channels.
absl::StatusOr<torch::jit::Module> FoldModuleNorm(
    const torch::jit::Module& layer, const torch::jit::Module& norm);

}  // namespace ns

#endif  // NS_QUANTIZATION_EAGER_FOLD_MODULE_NORM_H_
