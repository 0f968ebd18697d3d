// Logs the outputs of a quantized module and its float shadow; a stub calls it.
#ifndef PASSES_RUNTIME_LOGGERS_SHADOW_LOGGER_H_
#define PASSES_RUNTIME_LOGGERS_SHADOW_LOGGER_H_

#include <ATen/core/Tensor.h>

#include <utility>
#include <vector>

#include "passes/runtime/loggers/logger.h"

namespace ns {

// Keeps a detached copy of both values of every call, in the layout and dtype
// they have; nothing while it is disabled.
// Registered as torch.classes.ns.ShadowLogger, with methods `forward`,
// `get_stats` (a dict with the lists "float" and "quantized"), `clear`,
// `set_enabled` and `is_enabled`.
class ShadowLogger final : public Logger {
 public:
  // With `first_sample_only`, only value[0] of a value with several samples is
  // kept, as PyTorch's ShadowLogger does with every tensor.
  explicit ShadowLogger(bool first_sample_only = false)
      : first_sample_only_(first_sample_only) {}

  // The order of the arguments is that of PyTorch's ShadowLogger.
  void Forward(const at::Tensor& quantized, const at::Tensor& float_value);

  const std::vector<at::Tensor>& float_values() const { return float_; }
  const std::vector<at::Tensor>& quantized_values() const { return quantized_; }
  void Clear() override;
  bool KeepsFirstSampleOnly() const { return first_sample_only_; }

  // Sets the state when a saved logger is loaded.
  void SetValues(std::vector<at::Tensor> float_values,
                 std::vector<at::Tensor> quantized_values) {
    float_ = std::move(float_values);
    quantized_ = std::move(quantized_values);
  }

 private:
  at::Tensor Kept(const at::Tensor& value) const;

  bool first_sample_only_;
  std::vector<at::Tensor> float_;
  std::vector<at::Tensor> quantized_;
};

}  // namespace ns

#endif  // PASSES_RUNTIME_LOGGERS_SHADOW_LOGGER_H_
