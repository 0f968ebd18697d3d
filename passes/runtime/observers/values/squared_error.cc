#include "passes/runtime/observers/values/squared_error.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace ns {

SquaredError::SquaredError(const ExactHistogram& histogram)
    : width_(histogram.width()),
      first_(static_cast<double>(histogram.first_bin())) {
  for (const int64_t count : histogram.Counts()) {
    counts_.push_back(static_cast<double>(count));
  }
  counts_[static_cast<size_t>(-histogram.first_bin())] -=
      static_cast<double>(histogram.zeros());
  Moments sums;
  below_.push_back(sums);
  for (size_t i = 0; i < counts_.size(); ++i) {
    // The integrals of 1, x and x^2 over the bin.
    const double edge = first_ + static_cast<double>(i);
    sums.count += counts_[i];
    sums.sum += counts_[i] * (edge + 0.5);
    sums.squares += counts_[i] * (edge * (edge + 1) + 1.0 / 3);
    below_.push_back(sums);
  }
}

SquaredError::Moments SquaredError::Below(double position) const {
  const double bin = std::floor(position);
  if (bin < first_) {
    return below_.front();
  }
  if (bin >= first_ + static_cast<double>(counts_.size())) {
    return below_.back();
  }
  const auto i = static_cast<size_t>(bin - first_);
  const double part = position - bin;
  const double count = counts_[i] * part;
  Moments moments = below_[i];
  moments.count += count;
  moments.sum += count * (bin + part / 2);
  moments.squares += count * (bin * (bin + part) + part * part / 3);
  return moments;
}

double SquaredError::Between(const Moments& low, const Moments& high,
                             double level) {
  return (high.squares - low.squares) - 2 * level * (high.sum - low.sum) +
         level * level * (high.count - low.count);
}

double SquaredError::Of(const QParams& qparams, const QuantGrid& grid) const {
  const double step = qparams.scale / width_;
  const auto zero_point = static_cast<double>(qparams.zero_point);
  // Integers whose levels are beyond the bins have no values, but for the two
  // next to them.
  const double end = first_ + static_cast<double>(counts_.size());
  const double least =
      std::max(static_cast<double>(grid.quant_min),
               std::min(std::floor(first_ / step) + zero_point - 1,
                        static_cast<double>(grid.quant_max)));
  const double largest =
      std::min(static_cast<double>(grid.quant_max),
               std::max(std::ceil(end / step) + zero_point + 1, least));
  if (largest - least > static_cast<double>(2 * counts_.size())) {
    // Steps are much shorter than bins.
    const double low = (least - zero_point) * step;
    const double high = (largest - zero_point) * step;
    const Moments below = Below(low);
    const Moments above = Below(high);
    return Between(below_.front(), below, low) +
           (above.count - below.count) * step * step / 12 +
           Between(above, below_.back(), high);
  }
  double error = 0;
  Moments low = below_.front();
  for (double q = least; q <= largest; ++q) {
    const double level = (q - zero_point) * step;
    const Moments high = q == largest ? below_.back() : Below(level + step / 2);
    error += Between(low, high, level);
    low = high;
  }
  return error;
}

double SquaredError::OfClipped(const QParams& qparams,
                               const QuantGrid& grid) const {
  const double step = qparams.scale / width_;
  const auto level = [&](int64_t integer) {
    return static_cast<double>(integer - qparams.zero_point) * step;
  };
  const double low = level(grid.quant_min);
  const double high = level(grid.quant_max);
  return Between(below_.front(), Below(low - step / 2), low) +
         Between(Below(high + step / 2), below_.back(), high);
}

}  // namespace ns
