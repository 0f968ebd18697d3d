// Keeps copies of the values that a logger node sees when an instrumented graph
// runs.
#ifndef PASSES_RUNTIME_LOGGERS_OUTPUT_LOGGER_H_
#define PASSES_RUNTIME_LOGGERS_OUTPUT_LOGGER_H_

#include <ATen/core/Tensor.h>

#include <utility>
#include <vector>

#include "passes/runtime/loggers/logger.h"

namespace ns {

// Keeps a detached copy of every tensor that it gets, with its dtype and memory
// format. It copies since a later op that works in place could overwrite the
// tensor itself. Registered as torch.classes.ns.OutputLogger, with methods
// `forward`, `get_stats`, `clear`, `set_enabled`, `is_enabled`,
// `set_save_activations` and `saves_activations`. It saves and loads with its
// module, kept tensors and both switches included.
class OutputLogger final : public Logger {
 public:
  // Keeps a copy of `x` if the logger is enabled (Logger::SetEnabled) and saves
  // activations. Returns `x` itself in any case.
  at::Tensor Forward(const at::Tensor& x);

  // The copies since the last Clear, in the order of the calls.
  const std::vector<at::Tensor>& Stats() const { return stats_; }
  void Clear() override { stats_.clear(); }

  // Whether Forward keeps copies while the logger is enabled: true at first.
  // What was kept already stays.
  void SetSaveActivations(bool save) { save_activations_ = save; }
  bool SavesActivations() const { return save_activations_; }

  // Replaces the copies: for loading a saved logger.
  void SetStats(std::vector<at::Tensor> stats) { stats_ = std::move(stats); }

 private:
  bool save_activations_ = true;
  std::vector<at::Tensor> stats_;
};

}  // namespace ns

#endif  // PASSES_RUNTIME_LOGGERS_OUTPUT_LOGGER_H_
