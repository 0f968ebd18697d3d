// Counts which outputs of a layer saturate as a model runs.
#ifndef PASSES_RUNTIME_FBGEMM_OPS_SATURATION_COUNTER_H_
#define PASSES_RUNTIME_FBGEMM_OPS_SATURATION_COUNTER_H_

#include <ATen/core/Tensor.h>
#include <torch/custom_class.h>

#include <cstdint>
#include <optional>

#include "passes/runtime/fbgemm_ops/fbgemm_layer.h"

namespace ns {

// Counts, of one layer and over all calls, how many outputs it had, and how
// many of them saturated: their sum of products, before it is scaled, is
// another in the layer's SaturationMode than the exact one on the same input.
// Where pairs saturate to both sides, they may make up for each other; such an
// output does not count. One thread at a time.
//
// Registered as torch.classes.ns.SaturationCounter, with methods `count` (x,
// layer, reduce_range), `count_outputs` (y), `outputs`, `saturated` and
// `clear`; saves and loads with its counts.
class SaturationCounter final : public torch::CustomClassHolder {
 public:
  // Counts the outputs that `layer` has for `x`: quint8 values or, for dynamic
  // ops, floats, which are quantized as the op does it, to 7 bits with
  // `reduce_range` and else to 8. Computes the layer twice more. Throws
  // c10::Error for what the layer does not take.
  void Count(const at::Tensor& x, const FbgemmLayer& layer, bool reduce_range);

  // The output of a layer that cannot saturate.
  void CountOutputs(const at::Tensor& y) { outputs_ += y.numel(); }

  int64_t outputs() const { return outputs_; }
  int64_t saturated() const { return saturated_; }
  void Clear() { outputs_ = saturated_ = 0; }

  // Sets the counts when it is loaded.
  void SetState(int64_t outputs, int64_t saturated) {
    outputs_ = outputs;
    saturated_ = saturated;
  }

 private:
  int64_t outputs_ = 0;
  int64_t saturated_ = 0;
  // The layer of the last call, without saturation.
  std::optional<FbgemmLayer> exact_;
  std::optional<FbgemmLayer> exact_of_;
};

}  // namespace ns

#endif  // PASSES_RUNTIME_FBGEMM_OPS_SATURATION_COUNTER_H_
