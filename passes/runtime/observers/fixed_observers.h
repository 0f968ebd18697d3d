// Observers that find nothing in what they see.
#ifndef PASSES_RUNTIME_OBSERVERS_FIXED_OBSERVERS_H_
#define PASSES_RUNTIME_OBSERVERS_FIXED_OBSERVERS_H_

#include <vector>

#include "passes/runtime/observers/observer.h"

namespace ns {

// The kinds kFixedQParams, whose scale and zero point are those of its config,
// and kPlaceholder, kNoop and kReuseInput, which have none: they say how a
// value is to be treated, and CalculateQParams throws.
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

// The kind kRecording: a copy of every value that is not empty, for debugging.
// State: the values, called by their numbers.
class RecordingObserver final : public Observer {
 public:
  explicit RecordingObserver(const ObserverConfig& config) : Observer(config) {}

  // Throws.
  TensorQParams CalculateQParams() const override;
  void Clear() override { values_.clear(); }
  ObserverState State() const override;
  void SetState(const ObserverState& state) override;

  const std::vector<at::Tensor>& values() const { return values_; }

 protected:
  void Observe(const at::Tensor& x) override { values_.push_back(x.clone()); }
  void MergeSame(const Observer& other) override;

 private:
  std::vector<at::Tensor> values_;
};

}  // namespace ns

#endif  // PASSES_RUNTIME_OBSERVERS_FIXED_OBSERVERS_H_
