#include "passes/runtime/observers/histogram_observer.h"

#include <ATen/ATen.h>

#include <cmath>
#include <vector>

#include "passes/runtime/observers/values/range_search.h"

namespace ns {
namespace {

// Larger values count as this: the length of a range must be a float, too.
constexpr float kLargest = 0x1p126F;

at::Tensor Number(int64_t value) { return at::scalar_tensor(value, at::kLong); }
at::Tensor Number(float value) { return at::scalar_tensor(value, at::kFloat); }

// Whether histograms can have `range`: that of finite values, or of none.
bool IsRange(const Interval& range) {
  return range.IsEmpty() ||
         (std::isfinite(range.min) && std::isfinite(range.max) &&
          range.min <= range.max);
}

}  // namespace

ReferenceHistogramObserver::ReferenceHistogramObserver(
    const ObserverConfig& config)
    : Observer(config),
      histogram_(config.bins, config.upsample_rate, config.compat) {}

void ReferenceHistogramObserver::Clear() {
  histogram_ = ReferenceHistogram(config().bins, config().upsample_rate,
                                  config().compat);
  nan_count_ = inf_count_ = 0;
}

void ReferenceHistogramObserver::Observe(const at::Tensor& x) {
  at::Tensor values = FloatsOf(x);
  ValueRange range = RangeOf(values.data_ptr<float>(), values.numel());
  if (config().compat) {
    TORCH_CHECK(range.NonFinite() == 0, Name(), ": values are nan or infinite");
    histogram_.Add(values, range.finite);
    return;
  }
  nan_count_ += range.nans;
  inf_count_ += range.positive_infs + range.negative_infs;
  if (range.finite.IsEmpty()) {
    return;
  }
  if (range.NonFinite() > 0) {
    values = values.masked_select(values.isfinite());
  }
  if (range.finite.min < -kLargest || range.finite.max > kLargest) {
    values = values.clamp(-kLargest, kLargest);
    range = RangeOf(values.data_ptr<float>(), values.numel());
  }
  histogram_.Add(values, range.finite);
}

double ReferenceHistogramObserver::Levels() const {
  if (config().compat) {
    return config().dtype == at::kQInt32 ? 0x1p32 : 256;
  }
  const QuantGrid grid = GridOf(config());
  return static_cast<double>(grid.quant_max - grid.quant_min + 1);
}

TensorQParams ReferenceHistogramObserver::CalculateQParams() const {
  if (histogram_.range().IsEmpty()) {
    return UnobservedQParams();
  }
  return QParamsOf({histogram_.BestRange(Levels())}, config());
}

void ReferenceHistogramObserver::MergeSame(const Observer& other) {
  const auto& added = static_cast<const ReferenceHistogramObserver&>(other);
  histogram_.Merge(added.histogram_);
  nan_count_ += added.nan_count_;
  inf_count_ += added.inf_count_;
}

ObserverState ReferenceHistogramObserver::State() const {
  // Of its own: counts are added in place.
  return {{"histogram", histogram_.counts().clone()},
          {"min_val", Number(histogram_.range().min)},
          {"max_val", Number(histogram_.range().max)},
          {"nan_count", Number(nan_count_)},
          {"inf_count", Number(inf_count_)}};
}

void ReferenceHistogramObserver::SetState(const ObserverState& state) {
  const at::Tensor& counts = Entry(state, "histogram");
  TORCH_CHECK(counts.scalar_type() == at::kFloat && counts.dim() == 1 &&
                  counts.numel() == config().bins,
              Name(), ": its state has no histogram of ", config().bins,
              " bins");
  const Interval range = {Entry(state, "min_val").item<float>(),
                          Entry(state, "max_val").item<float>()};
  TORCH_CHECK(IsRange(range), Name(), ": its state has a histogram of ",
              range.min, "..", range.max, ", which is no range");
  histogram_.Restore(range, counts.contiguous());
  nan_count_ = Entry(state, "nan_count").item<int64_t>();
  inf_count_ = Entry(state, "inf_count").item<int64_t>();
}

void ExactHistogramObserver::Observe(const at::Tensor& x) {
  const at::Tensor values = FloatsOf(x);
  histogram_.Add(values.data_ptr<float>(), values.numel());
}

int64_t ExactHistogramObserver::NanCount() const {
  return histogram_.range().nans;
}

int64_t ExactHistogramObserver::InfCount() const {
  return histogram_.range().positive_infs + histogram_.range().negative_infs;
}

Interval ExactHistogramObserver::BestRange() const {
  switch (config().kind) {
    case ObserverKind::kPercentile:
      return PercentileRange(histogram_, config().percentile);
    case ObserverKind::kEntropy:
      return LeastDivergenceRange(histogram_, GridOf(config()));
    default:
      return LeastSquaredErrorRange(histogram_, GridOf(config()),
                                    config().clipping_weight);
  }
}

TensorQParams ExactHistogramObserver::CalculateQParams() const {
  if (histogram_.range().finite.IsEmpty()) {
    return UnobservedQParams();
  }
  return QParamsOf({BestRange()}, config());
}

void ExactHistogramObserver::MergeSame(const Observer& other) {
  histogram_.Merge(
      static_cast<const ExactHistogramObserver&>(other).histogram_);
}

ObserverState ExactHistogramObserver::State() const {
  const std::vector<int64_t> counts = histogram_.Counts();
  const ValueRange& range = histogram_.range();
  return {{"counts", at::tensor(counts, at::kLong)},
          {"min_val", Number(range.finite.min)},
          {"max_val", Number(range.finite.max)},
          {"zeros", Number(histogram_.zeros())},
          {"nans", Number(range.nans)},
          {"positive_infs", Number(range.positive_infs)},
          {"negative_infs", Number(range.negative_infs)}};
}

void ExactHistogramObserver::SetState(const ObserverState& state) {
  ValueRange range;
  range.finite = {Entry(state, "min_val").item<float>(),
                  Entry(state, "max_val").item<float>()};
  range.nans = Entry(state, "nans").item<int64_t>();
  range.positive_infs = Entry(state, "positive_infs").item<int64_t>();
  range.negative_infs = Entry(state, "negative_infs").item<int64_t>();
  const at::Tensor counts = Entry(state, "counts").to(at::kLong).contiguous();
  const int64_t* data = counts.data_ptr<int64_t>();
  TORCH_CHECK(
      IsRange(range.finite) &&
          histogram_.Restore(range, Entry(state, "zeros").item<int64_t>(),
                             {data, data + counts.numel()}),
      Name(), ": its state has a histogram that its range does not have");
}

}  // namespace ns
