#include "passes/runtime/observers/fixed_observers.h"

#include <ATen/ATen.h>

#include <string>

namespace ns {

TensorQParams FixedObserver::CalculateQParams() const {
  TORCH_CHECK(config().kind == ObserverKind::kFixedQParams, Name(),
              " has no scale and zero point");
  return {at::full({1}, config().scale, at::kFloat),
          at::full({1}, config().zero_point, at::kInt)};
}

TensorQParams RecordingObserver::CalculateQParams() const {
  TORCH_CHECK(false, Name(), " has no scale and zero point");
}

void RecordingObserver::MergeSame(const Observer& other) {
  const std::vector<at::Tensor> added =
      static_cast<const RecordingObserver&>(other).values_;
  values_.insert(values_.end(), added.begin(), added.end());
}

ObserverState RecordingObserver::State() const {
  ObserverState state;
  for (size_t i = 0; i < values_.size(); ++i) {
    state[std::to_string(i)] = values_[i];
  }
  return state;
}

void RecordingObserver::SetState(const ObserverState& state) {
  std::vector<at::Tensor> values;
  for (size_t i = 0; i < state.size(); ++i) {
    values.push_back(Entry(state, std::to_string(i)));
  }
  values_ = std::move(values);
}

}  // namespace ns
