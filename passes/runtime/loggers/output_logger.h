// Keeps copies of the values that a logger node sees when an instrumented graph
// runs.
#ifndef PASSES_RUNTIME_LOGGERS_OUTPUT_LOGGER_H_
#define PASSES_RUNTIME_LOGGERS_OUTPUT_LOGGER_H_

#include <ATen/core/Tensor.h>

#include <utility>
#include <vector>

#include "passes/runtime/loggers/logger.h"

namespace ns {

// Keeps a copy of every value, in the layout and dtype it has: a copy, because
// an op in place behind the logger would overwrite the value itself. Registered
// as torch.classes.ns.OutputLogger, with methods `forward`, `get_stats`,
// `clear`, `set_enabled`, `is_enabled`, `set_save_activations` and
// `saves_activations`.
class OutputLogger final : public Logger {
 public:
  // Records one value of the model, and returns it unchanged.
  at::Tensor Forward(const at::Tensor& x);

  // One entry for each call since the last Clear.
  const std::vector<at::Tensor>& Stats() const { return stats_; }
  void Clear() override { stats_.clear(); }

  // Whether values are kept while the logger is enabled. They are at first.
  void SetSaveActivations(bool save) { save_activations_ = save; }
  bool SavesActivations() const { return save_activations_; }

  // Sets the state when a saved logger is loaded.
  void SetStats(std::vector<at::Tensor> stats) { stats_ = std::move(stats); }

 private:
  bool save_activations_ = true;
  std::vector<at::Tensor> stats_;
};

}  // namespace ns

#endif  // PASSES_RUNTIME_LOGGERS_OUTPUT_LOGGER_H_
