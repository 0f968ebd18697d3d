// Compares a quantization candidate with the float model when an instrumented
// graph runs.
#ifndef PASSES_RUNTIME_LOGGERS_OUTPUT_COMPARISON_LOGGER_H_
#define PASSES_RUNTIME_LOGGERS_OUTPUT_COMPARISON_LOGGER_H_

#include <ATen/core/Tensor.h>

#include <utility>
#include <vector>

#include "passes/runtime/loggers/logger.h"
#include "passes/runtime/statistics/pair_statistics.h"

namespace ns {

// Compares values with those of the float model, call by call. It keeps
// statistics only, unless told to save the activations, too. The candidate in
// front of a disabled logger does not run.
//
// Registered as torch.classes.ns.OutputComparisonLogger, with methods
// `forward(Tensor x, Tensor x_ref) -> Tensor` (x), `get_stats() -> Tensor[]`,
// `get_comparisons() -> float[]` (SQNR in dB), `pooled_sqnr() -> float`,
// `clear()`, `set_enabled(bool)`, `is_enabled()`, `set_save_activations(bool)`.
class OutputComparisonLogger final : public Logger {
 public:
  // Compares `x` with `reference`, the float model's value. Nested and sparse
  // tensors are left out: their calls have no entry. Throws c10::Error when the
  // shapes differ.
  void Compare(const at::Tensor& x, const at::Tensor& reference);

  // One entry for each call since the last Clear.
  const std::vector<PairStatistics>& comparisons() const {
    return comparisons_;
  }
  // The copies of `x`, one a call, where activations are saved.
  const std::vector<at::Tensor>& stats() const { return stats_; }
  // Returns the statistics of all calls together.
  PairStatistics Pooled() const;

  void Clear() override;

  // Whether activations are saved, while the logger is enabled.
  void SetSaveActivations(bool save) { save_activations_ = save; }
  bool SavesActivations() const { return save_activations_; }

  // Sets the state when a saved logger is loaded.
  void Restore(std::vector<PairStatistics> comparisons,
               std::vector<at::Tensor> stats) {
    comparisons_ = std::move(comparisons);
    stats_ = std::move(stats);
  }

 private:
  bool save_activations_ = false;
  std::vector<PairStatistics> comparisons_;
  std::vector<at::Tensor> stats_;
};

}  // namespace ns

#endif  // PASSES_RUNTIME_LOGGERS_OUTPUT_COMPARISON_LOGGER_H_
