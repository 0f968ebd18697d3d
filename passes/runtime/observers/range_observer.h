// Observers of the least and the largest value.
#ifndef PASSES_RUNTIME_OBSERVERS_RANGE_OBSERVER_H_
#define PASSES_RUNTIME_OBSERVERS_RANGE_OBSERVER_H_

#include <cstdint>
#include <vector>

#include "passes/runtime/observers/observer.h"
#include "passes/runtime/observers/values/value_range.h"

namespace ns {

// The kinds kMinMax, kMovingAverageMinMax and both per channel: the range of
// all values, or an average of the ranges of batches, in which the newest
// counts averaging_constant; for the tensor or for each of its channels along
// ch_axis.
//
// State: min_val and max_val, as PyTorch's; nan_count, inf_count; batches,
// first_min and first_max, from which averages can be merged.
class RangeObserver final : public Observer {
 public:
  explicit RangeObserver(const ObserverConfig& config);

  TensorQParams CalculateQParams() const override;
  void Clear() override;
  int64_t NanCount() const override { return nan_count_; }
  int64_t InfCount() const override { return inf_count_; }
  Interval SeenRange() const override;
  ObserverState State() const override;
  void SetState(const ObserverState& state) override;

 protected:
  void Observe(const at::Tensor& x) override;
  // An average of halves is that of the whole, to rounding.
  void MergeSame(const Observer& other) override;

 private:
  bool IsMoving() const;
  bool IsPerChannel() const;
  // Of each channel, or of the tensor.
  std::vector<ValueRange> RangesIn(const at::Tensor& x) const;
  void CheckChannels(size_t channels) const;

  // One range, or those of the channels, none before they are seen.
  std::vector<Interval> ranges_;
  // Of the first batch.
  std::vector<Interval> first_;
  int64_t batches_ = 0;
  int64_t nan_count_ = 0;
  int64_t inf_count_ = 0;
};

}  // namespace ns

#endif  // PASSES_RUNTIME_OBSERVERS_RANGE_OBSERVER_H_
