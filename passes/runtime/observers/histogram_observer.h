// Observers that keep a histogram and search the range to quantize.
#ifndef PASSES_RUNTIME_OBSERVERS_HISTOGRAM_OBSERVER_H_
#define PASSES_RUNTIME_OBSERVERS_HISTOGRAM_OBSERVER_H_

#include <cstdint>

#include "passes/runtime/observers/observer.h"
#include "passes/runtime/observers/values/exact_histogram.h"
#include "passes/runtime/observers/values/reference_histogram.h"

namespace ns {

// The kind kHistogram: PyTorch's HistogramObserver. In compat mode, values that
// are nan or infinite are an error, as there.
//
// State: histogram, min_val and max_val, as PyTorch's; nan_count, inf_count.
class ReferenceHistogramObserver final : public Observer {
 public:
  explicit ReferenceHistogramObserver(const ObserverConfig& config);

  TensorQParams CalculateQParams() const override;
  void Clear() override;
  int64_t NanCount() const override { return nan_count_; }
  int64_t InfCount() const override { return inf_count_; }
  Interval SeenRange() const override { return histogram_.range(); }
  ObserverState State() const override;
  void SetState(const ObserverState& state) override;

 protected:
  void Observe(const at::Tensor& x) override;
  // Counts of `other` move to where the middles of their bins are.
  void MergeSame(const Observer& other) override;

 private:
  // How many integers the search takes there to be.
  double Levels() const;

  ReferenceHistogram histogram_;
  int64_t nan_count_ = 0;
  int64_t inf_count_ = 0;
};

// The kinds kMse, kPercentile and kEntropy, which differ in the range that they
// choose from an exact histogram (range_search.h). Merging the observers of two
// parts of the values gives that of all values.
//
// State: min_val and max_val; counts, by bin; zeros, nans, positive_infs and
// negative_infs.
class ExactHistogramObserver final : public Observer {
 public:
  explicit ExactHistogramObserver(const ObserverConfig& config)
      : Observer(config) {}

  TensorQParams CalculateQParams() const override;
  void Clear() override { histogram_ = ExactHistogram(); }
  int64_t NanCount() const override;
  int64_t InfCount() const override;
  Interval SeenRange() const override { return histogram_.range().finite; }
  ObserverState State() const override;
  void SetState(const ObserverState& state) override;

 protected:
  void Observe(const at::Tensor& x) override;
  void MergeSame(const Observer& other) override;

 private:
  Interval BestRange() const;

  ExactHistogram histogram_;
};

}  // namespace ns

#endif  // PASSES_RUNTIME_OBSERVERS_HISTOGRAM_OBSERVER_H_
