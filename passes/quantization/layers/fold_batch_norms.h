// Folds batch norms that run in evaluation into the layer in front of them.
#ifndef PASSES_QUANTIZATION_LAYERS_FOLD_BATCH_NORMS_H_
#define PASSES_QUANTIZATION_LAYERS_FOLD_BATCH_NORMS_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/graph/pass.h"

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

class GraphEditor;

// Folds batch norms into convolutions of 1 to 3 dimensions, transposed or not
// and with any number of groups, and into linear layers:
//
//   %c = aten::conv2d(%x, %weight, %bias, ...)
//   %y = aten::batch_norm(%c, %gamma, %beta, %mean, %variance, %false, ...)
// becomes
//   %c = aten::conv2d(%x, %folded_weight, %folded_bias, ...)
//
// with scale = gamma / sqrt(variance + eps), folded_weight = weight * scale for
// each output channel, and folded_bias = (bias - mean) * scale + beta, as
// fusing before quantization does (torch/nn/utils/fusion.py). Outputs stay
// equal up to rounding. The output of a linear layer is taken to have two
// dimensions: its features are the channels of the norm.
//
// A norm stays, and gets a remark, when something else uses its input, when it
// computes its statistics itself, and when weights or statistics are not
// constant: freeze the model first.
class FoldBatchNorms final : public Pass {
 public:
  struct Options {
    // Leaves a norm between a transposed convolution and a relu, as PyTorch
    // 1.13's prepare_fx does: it fuses the norm with the relu.
    bool compat = false;
  };

  FoldBatchNorms() = default;
  explicit FoldBatchNorms(const Options& options) : options_(options) {}

  absl::string_view name() const override { return "fold-batch-norms"; }
  absl::StatusOr<bool> Run(ModelGraph& model,
                           PassContext& context) const override;

 private:
  Options options_;
};

// Folds one aten::batch_norm into `base`, the convolution or linear that gives
// its input. Nothing else may use that input. Destroys the norm; users of its
// output use that of `base`. Error: a refusal (ir/base/refusal.h); the graph is
// then as it was.
absl::Status FoldBatchNormInto(GraphEditor& editor, torch::jit::Node* base,
                               torch::jit::Node* batch_norm);

}  // namespace ns

#endif  // PASSES_QUANTIZATION_LAYERS_FOLD_BATCH_NORMS_H_
