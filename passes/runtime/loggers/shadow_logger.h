// Logs the output of a quantized module and that of its float shadow, the float
// module that runs beside it on the same inputs. Graphs with stubs call it
// (ns/eager/prepare_model_with_stubs.h).
#ifndef PASSES_RUNTIME_LOGGERS_SHADOW_LOGGER_H_
#define PASSES_RUNTIME_LOGGERS_SHADOW_LOGGER_H_

#include <ATen/core/Tensor.h>

#include <utility>
#include <vector>

#include "passes/runtime/loggers/logger.h"

namespace ns {

// Keeps a detached copy of both values of every call, in the layout and dtype
// they have. While it is disabled, it keeps nothing.
//
// Registered as torch.classes.ns.ShadowLogger, with methods `forward`,
// `get_stats` (a dict with the lists "float" and "quantized"), `clear`,
// `set_enabled` and `is_enabled`.
class ShadowLogger final : public Logger {
 public:
  // With `first_sample_only`, value[0] is kept in the place of a value whose
  // first dimension is larger than 1: it has a dimension less. Other values are
  // kept as they are. PyTorch's ShadowLogger always does so.
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
