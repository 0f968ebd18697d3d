#include "passes/runtime/observers/range_observer.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

namespace ns {
namespace {

// As torch.min and torch.max: nan stays.
float Least(float a, float b) { return std::isnan(a) || a < b ? a : b; }
float Largest(float a, float b) { return std::isnan(a) || a > b ? a : b; }

Interval Union(const Interval& a, const Interval& b) {
  return {Least(a.min, b.min), Largest(a.max, b.max)};
}

// `average` moved towards `batch` by `share` of the way, in float32.
Interval Moved(const Interval& average, const Interval& batch, float share) {
  if (average.IsEmpty() || batch.IsEmpty()) {
    return average.IsEmpty() ? batch : average;
  }
  return {average.min + share * (batch.min - average.min),
          average.max + share * (batch.max - average.max)};
}

// The average over the batches of `a`, then those of `b`: of the first batch of
// `b`, `weight` would count less if others came before.
Interval Appended(const Interval& a, const Interval& b, const Interval& b_first,
                  double weight) {
  if (a.IsEmpty() || b.IsEmpty()) {
    return a.IsEmpty() ? b : a;
  }
  const auto appended = [&](double of_a, double of_b, double first) {
    return static_cast<float>(of_b + weight * (of_a - first));
  };
  return {appended(a.min, b.min, b_first.min),
          appended(a.max, b.max, b_first.max)};
}

at::Tensor TensorOf(const std::vector<Interval>& ranges, float Interval::*bound,
                    bool is_scalar) {
  at::Tensor tensor =
      at::empty({static_cast<int64_t>(ranges.size())}, at::kFloat);
  for (size_t i = 0; i < ranges.size(); ++i) {
    tensor.data_ptr<float>()[i] = ranges[i].*bound;
  }
  return is_scalar && ranges.size() == 1 ? tensor.reshape({}) : tensor;
}

std::vector<Interval> RangesOf(const at::Tensor& min, const at::Tensor& max) {
  TORCH_CHECK(min.scalar_type() == at::kFloat &&
                  max.scalar_type() == at::kFloat && min.sizes() == max.sizes(),
              "the saved range of an observer has bounds of different shapes, "
              "or not of float32");
  const at::Tensor mins = min.contiguous();
  const at::Tensor maxs = max.contiguous();
  std::vector<Interval> ranges(static_cast<size_t>(min.numel()));
  for (size_t i = 0; i < ranges.size(); ++i) {
    ranges[i] = {mins.data_ptr<float>()[i], maxs.data_ptr<float>()[i]};
  }
  return ranges;
}

}  // namespace

RangeObserver::RangeObserver(const ObserverConfig& config) : Observer(config) {
  RangeObserver::Clear();
}

bool RangeObserver::IsMoving() const {
  return config().kind == ObserverKind::kMovingAverageMinMax ||
         config().kind == ObserverKind::kMovingAveragePerChannelMinMax;
}

bool RangeObserver::IsPerChannel() const {
  return ns::IsPerChannel(config().qscheme);
}

void RangeObserver::Clear() {
  ranges_.assign(IsPerChannel() ? 0 : 1, Interval());
  first_ = ranges_;
  batches_ = nan_count_ = inf_count_ = 0;
}

std::vector<ValueRange> RangeObserver::RangesIn(const at::Tensor& x) const {
  if (!IsPerChannel()) {
    const at::Tensor values = FloatsOf(x);
    return {RangeOf(values.data_ptr<float>(), values.numel())};
  }
  const int64_t dims = x.dim();
  const int64_t axis = config().ch_axis + (config().ch_axis < 0 ? dims : 0);
  TORCH_CHECK(axis >= 0 && axis < dims, Name(), ": no channels along axis ",
              config().ch_axis, " in a tensor with ", dims,
              " dimensions; set ch_axis");
  const at::Tensor rows = x.to(at::kFloat).transpose(0, axis).contiguous();
  const int64_t channels = rows.size(0);
  const int64_t length = rows.numel() / channels;
  std::vector<ValueRange> ranges;
  for (int64_t i = 0; i < channels; ++i) {
    ranges.push_back(RangeOf(rows.data_ptr<float>() + i * length, length));
  }
  return ranges;
}

void RangeObserver::CheckChannels(size_t channels) const {
  TORCH_CHECK(ranges_.empty() || ranges_.size() == channels, Name(), ": has ",
              ranges_.size(), " channels and comes upon ", channels,
              "; check ch_axis");
}

void RangeObserver::Observe(const at::Tensor& x) {
  const std::vector<ValueRange> seen = RangesIn(x);
  CheckChannels(seen.size());
  std::vector<Interval> batch;
  for (const ValueRange& range : seen) {
    nan_count_ += range.nans;
    inf_count_ += range.positive_infs + range.negative_infs;
    batch.push_back(config().compat ? range.WithNonFinite() : range.finite);
  }
  if (std::all_of(batch.begin(), batch.end(),
                  [](const Interval& range) { return range.IsEmpty(); })) {
    return;
  }
  ranges_.resize(batch.size());
  first_.resize(batch.size());
  const auto share = static_cast<float>(config().averaging_constant);
  for (size_t i = 0; i < batch.size(); ++i) {
    ranges_[i] = IsMoving() ? Moved(ranges_[i], batch[i], share)
                            : Union(ranges_[i], batch[i]);
    first_[i] = first_[i].IsEmpty() ? batch[i] : first_[i];
  }
  ++batches_;
}

TensorQParams RangeObserver::CalculateQParams() const {
  return QParamsOf(ranges_, config());
}

void RangeObserver::MergeSame(const Observer& other) {
  const auto& added = static_cast<const RangeObserver&>(other);
  nan_count_ += added.nan_count_;
  inf_count_ += added.inf_count_;
  if (added.ranges_.empty()) {
    return;
  }
  CheckChannels(added.ranges_.size());
  ranges_.resize(added.ranges_.size());
  first_.resize(added.ranges_.size());
  const double weight = std::pow(1 - config().averaging_constant,
                                 static_cast<double>(added.batches_));
  for (size_t i = 0; i < ranges_.size(); ++i) {
    ranges_[i] = IsMoving() ? Appended(ranges_[i], added.ranges_[i],
                                       added.first_[i], weight)
                            : Union(ranges_[i], added.ranges_[i]);
    first_[i] = first_[i].IsEmpty() ? added.first_[i] : first_[i];
  }
  batches_ += added.batches_;
}

Interval RangeObserver::SeenRange() const {
  return IsMoving() || IsPerChannel() ? Interval() : ranges_[0];
}

ObserverState RangeObserver::State() const {
  const bool is_scalar = !IsPerChannel();
  return {{"min_val", TensorOf(ranges_, &Interval::min, is_scalar)},
          {"max_val", TensorOf(ranges_, &Interval::max, is_scalar)},
          {"first_min", TensorOf(first_, &Interval::min, is_scalar)},
          {"first_max", TensorOf(first_, &Interval::max, is_scalar)},
          {"batches", at::scalar_tensor(batches_, at::kLong)},
          {"nan_count", at::scalar_tensor(nan_count_, at::kLong)},
          {"inf_count", at::scalar_tensor(inf_count_, at::kLong)}};
}

void RangeObserver::SetState(const ObserverState& state) {
  std::vector<Interval> ranges =
      RangesOf(Entry(state, "min_val"), Entry(state, "max_val"));
  std::vector<Interval> first =
      RangesOf(Entry(state, "first_min"), Entry(state, "first_max"));
  TORCH_CHECK(
      ranges.size() == first.size() && (IsPerChannel() || ranges.size() == 1),
      Name(), ": its state has ranges of ", ranges.size(), " and ",
      first.size(), " channels");
  batches_ = Entry(state, "batches").item<int64_t>();
  nan_count_ = Entry(state, "nan_count").item<int64_t>();
  inf_count_ = Entry(state, "inf_count").item<int64_t>();
  ranges_ = std::move(ranges);
  first_ = std::move(first);
}

}  // namespace ns
