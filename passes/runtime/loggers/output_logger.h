// What a logger node calls when an instrumented graph runs.
#ifndef PASSES_RUNTIME_LOGGERS_OUTPUT_LOGGER_H_
#define PASSES_RUNTIME_LOGGERS_OUTPUT_LOGGER_H_

#include <ATen/core/Tensor.h>
#include <torch/custom_class.h>

#include <vector>

namespace ns {

// Base of loggers written in C++. A subclass becomes usable in graphs, and
// saves and loads with them, by registering itself with torch::class_ with
// methods `forward(Tensor) -> Tensor` and `get_stats() -> Tensor[]`, and
// def_pickle.
class Logger : public torch::CustomClassHolder {
 public:
  // Sees one value of the model. Returns it unchanged.
  virtual at::Tensor Forward(const at::Tensor& x) = 0;

  // What was gathered so far, one entry a call.
  virtual std::vector<at::Tensor> Stats() const = 0;

  virtual void Clear() = 0;

  // A disabled logger only passes its value on.
  void SetEnabled(bool enabled) { enabled_ = enabled; }
  bool IsEnabled() const { return enabled_; }

  // Whether an enabled logger keeps the values it sees, or only what it
  // computes from them.
  void SetSaveActivations(bool save) { save_activations_ = save; }
  bool SavesActivations() const { return save_activations_; }

 private:
  bool enabled_ = true;
  bool save_activations_ = true;
};

// Keeps a copy of every value, in the layout and dtype it has: a copy, because
// an in-place op behind the logger would overwrite the value itself.
// Registered as torch.classes.ns.OutputLogger, with methods `forward`,
// `get_stats`, `clear`, `set_enabled`, `is_enabled`, `set_save_activations` and
// `saves_activations`.
class OutputLogger final : public Logger {
 public:
  at::Tensor Forward(const at::Tensor& x) override;
  std::vector<at::Tensor> Stats() const override { return stats_; }
  void Clear() override { stats_.clear(); }

  // For loading.
  void SetStats(std::vector<at::Tensor> stats) { stats_ = std::move(stats); }

 private:
  std::vector<at::Tensor> stats_;
};

}  // namespace ns

#endif  // PASSES_RUNTIME_LOGGERS_OUTPUT_LOGGER_H_
