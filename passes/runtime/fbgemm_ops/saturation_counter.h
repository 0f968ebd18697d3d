// Counts which outputs of a layer saturate as a model runs.
#ifndef PASSES_RUNTIME_FBGEMM_OPS_SATURATION_COUNTER_H_
#define PASSES_RUNTIME_FBGEMM_OPS_SATURATION_COUNTER_H_

#include <ATen/core/Tensor.h>
#include <torch/custom_class.h>

#include <cstdint>
#include <optional>

#include "passes/runtime/fbgemm_ops/fbgemm_layer.h"

namespace ns {

// Counts, over all calls of one layer, how many output elements it had, and how
// many of them saturated. An output counts as saturated if its int32 sum in the
// layer's SaturationMode differs from the exact sum on the same input. If
// several pairs saturate and their errors add up to 0, the output does not
// count. Not thread-safe.
//
// Registered as torch.classes.ns.SaturationCounter, with the methods `count(x,
// layer, reduce_range)`, `count_outputs(y)`, `outputs()`, `saturated()` and
// `clear()`. Its counts are saved and loaded with it.
class SaturationCounter final : public torch::CustomClassHolder {
 public:
  // Counts the outputs of `layer` for its input `x`. `x` holds quint8 values
  // or, for a dynamic op, floats. Floats are quantized as the op does it: to 7
  // bits with `reduce_range`, and otherwise to 8. For quint8 values,
  // `reduce_range` has no effect. This runs the layer twice. Throws c10::Error
  // for an input that the layer does not take.
  void Count(const at::Tensor& x, const FbgemmLayer& layer, bool reduce_range);

  // Counts the elements of `y`, the output of a layer that cannot saturate.
  void CountOutputs(const at::Tensor& y) { outputs_ += y.numel(); }

  int64_t outputs() const { return outputs_; }
  int64_t saturated() const { return saturated_; }
  void Clear() { outputs_ = saturated_ = 0; }

  // For loading.
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
