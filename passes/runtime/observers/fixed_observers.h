// Observers whose parameters do not depend on the values they see.
#ifndef PASSES_RUNTIME_OBSERVERS_FIXED_OBSERVERS_H_
#define PASSES_RUNTIME_OBSERVERS_FIXED_OBSERVERS_H_

#include <vector>

#include "passes/runtime/observers/observer.h"

namespace ns {

// The kinds that keep nothing of the values:
//
// - kFixedQParams: the scale and zero point are those of its config.
// - kPlaceholder, kNoop and kReuseInput: they only say how a value is to be
//   treated. CalculateQParams throws.
//
// They have no state; SetState ignores what it is given.
class FixedObserver final : public Observer {
 public:
  explicit FixedObserver(const ObserverConfig& config) : Observer(config) {}

  TensorQParams CalculateQParams() const override;
  void Clear() override {}
  ObserverState State() const override { return {}; }
  void SetState(const ObserverState&) override {}

 protected:
  void Observe(const at::Tensor&) override {}
  void MergeSame(const Observer&) override {}
};

// The kind kRecording, for debugging: keeps a copy of every tensor that is not
// empty. State: these tensors in order, called "0", "1", "2" and so on.
class RecordingObserver final : public Observer {
 public:
  explicit RecordingObserver(const ObserverConfig& config) : Observer(config) {}

  // Throws: this kind finds no scale and zero point.
  TensorQParams CalculateQParams() const override;
  void Clear() override { values_.clear(); }
  ObserverState State() const override;
  void SetState(const ObserverState& state) override;

  // The copies, in the order in which the tensors came.
  const std::vector<at::Tensor>& values() const { return values_; }

 protected:
  void Observe(const at::Tensor& x) override { values_.push_back(x.clone()); }
  void MergeSame(const Observer& other) override;

 private:
  std::vector<at::Tensor> values_;
};

}  // namespace ns

#endif  // PASSES_RUNTIME_OBSERVERS_FIXED_OBSERVERS_H_
