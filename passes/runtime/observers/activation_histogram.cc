#include "passes/runtime/observers/activation_histogram.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

namespace ns {
namespace {

constexpr size_t kBins = 2048;
// How many bins each step of the search for a range takes away.
constexpr size_t kSearchStep = 16;

}  // namespace

double ActivationHistogram::BinWidth() const {
  return (max_ - min_) / static_cast<double>(kBins);
}

void ActivationHistogram::Widen(double min, double max) {
  if (counts_.empty()) {
    min_ = min;
    max_ = max;
    counts_.assign(kBins, 0);
    return;
  }
  min = std::min(min, min_);
  max = std::max(max, max_);
  if (min == min_ && max == max_) {
    return;
  }
  std::vector<double> counts(kBins, 0);
  const double width = (max - min) / static_cast<double>(kBins);
  for (size_t i = 0; i < kBins; ++i) {
    const double middle = min_ + (static_cast<double>(i) + 0.5) * BinWidth();
    const auto bin = static_cast<size_t>(std::max(0.0, (middle - min) / width));
    counts[std::min(bin, kBins - 1)] += counts_[i];
  }
  counts_ = std::move(counts);
  min_ = min;
  max_ = max;
}

void ActivationHistogram::Add(const at::Tensor& x) {
  if (x.numel() == 0) {
    return;
  }
  at::Tensor least;
  at::Tensor most;
  std::tie(least, most) = x.aminmax();
  Widen(least.item<double>(), most.item<double>());
  if (min_ == max_) {
    counts_[0] += static_cast<double>(x.numel());
    return;
  }
  const at::Tensor counted =
      at::histc(x.flatten(), kBins, min_, max_).to(at::kDouble).contiguous();
  const double* counts = counted.data_ptr<double>();
  for (size_t i = 0; i < kBins; ++i) {
    counts_[i] += counts[i];
  }
}

// Of the bins first..last, both included, as the range.
double ActivationHistogram::Error(size_t first, size_t last,
                                  int64_t steps) const {
  const double width = BinWidth();
  const double step = static_cast<double>(last - first + 1) * width /
                      static_cast<double>(steps);
  double error = 0;
  for (size_t i = 0; i < kBins; ++i) {
    if (i >= first && i <= last) {
      error += counts_[i] * step * step / 12;
      continue;
    }
    const double bins_outside = i < first ? static_cast<double>(first - i) - 0.5
                                          : static_cast<double>(i - last) - 0.5;
    error += counts_[i] * bins_outside * bins_outside * width * width;
  }
  return error;
}

std::pair<float, float> ActivationHistogram::BestRange(int64_t steps) const {
  if (counts_.empty()) {
    return {0.0F, 0.0F};
  }
  size_t first = 0;
  size_t last = kBins - 1;
  double best_error = Error(first, last, steps);
  std::pair<size_t, size_t> best(first, last);
  // Narrows from the side that costs less, down to an eighth of the range.
  while (last - first > kBins / 8) {
    const double without_first = Error(first + kSearchStep, last, steps);
    const double without_last = Error(first, last - kSearchStep, steps);
    if (without_first <= without_last) {
      first += kSearchStep;
    } else {
      last -= kSearchStep;
    }
    const double error = std::min(without_first, without_last);
    if (error < best_error) {
      best_error = error;
      best = {first, last};
    }
  }
  const double width = BinWidth();
  return {
      static_cast<float>(min_ + static_cast<double>(best.first) * width),
      static_cast<float>(min_ + static_cast<double>(best.second + 1) * width)};
}

std::vector<double> ActivationHistogram::State() const {
  std::vector<double> state;
  if (!counts_.empty()) {
    state = {min_, max_};
    state.insert(state.end(), counts_.begin(), counts_.end());
  }
  return state;
}

ActivationHistogram ActivationHistogram::FromState(
    const std::vector<double>& state) {
  ActivationHistogram histogram;
  TORCH_CHECK(state.empty() || state.size() == kBins + 2,
              "a histogram was saved with ", state.size(), " numbers");
  if (!state.empty()) {
    histogram.min_ = state[0];
    histogram.max_ = state[1];
    histogram.counts_.assign(state.begin() + 2, state.end());
  }
  return histogram;
}

}  // namespace ns
