#include "passes/runtime/statistics/error_histogram.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

namespace ns {
namespace {

// The bits of a float's mantissa that a bin ignores.
constexpr int kDroppedBits = 19;
// The number of bins of floats without a sign, up to infinity.
constexpr int64_t kBins = (int64_t{0x7f800000} >> kDroppedBits) + 1;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

uint32_t BitsOf(float error) {
  uint32_t bits;
  std::memcpy(&bits, &error, sizeof(bits));
  return bits & 0x7fffffff;
}

float LowerEnd(int64_t bin) {
  const uint32_t bits = static_cast<uint32_t>(bin) << kDroppedBits;
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

// Returns the value that stands for all errors of a bin. The lowest bin holds
// zero, and errors that are so small that they may as well be zero.
double MiddleOf(int64_t bin) {
  if (bin == 0) {
    return 0;
  }
  if (bin == kBins - 1) {
    return kInfinity;
  }
  // The last finite bin ends where infinity begins.
  const float end =
      std::min(LowerEnd(bin + 1), std::numeric_limits<float>::max());
  return (static_cast<double>(LowerEnd(bin)) + end) / 2;
}

}  // namespace

void ErrorHistogram::Reserve() {
  if (counts_.empty()) {
    counts_.resize(kBins);
  }
}

void ErrorHistogram::Add(const float* x, const float* y, int64_t count) {
  Reserve();
  for (int64_t i = 0; i < count; ++i) {
    const float error = x[i] - y[i];
    if (!std::isnan(error) || x[i] == y[i]) {
      ++counts_[std::isnan(error) ? 0 : BitsOf(error) >> kDroppedBits];
      ++total_;
    }
  }
}

void ErrorHistogram::Add(const double* x, const double* y, int64_t count) {
  Reserve();
  for (int64_t i = 0; i < count; ++i) {
    // An error beyond the range of float becomes infinite, or zero.
    const auto error = static_cast<float>(std::abs(x[i] - y[i]));
    if (!std::isnan(error) || x[i] == y[i]) {
      ++counts_[std::isnan(error) ? 0 : BitsOf(error) >> kDroppedBits];
      ++total_;
    }
  }
}

void ErrorHistogram::Merge(const ErrorHistogram& other) {
  if (other.total_ == 0) {
    return;
  }
  Reserve();
  for (size_t i = 0; i < counts_.size(); ++i) {
    counts_[i] += other.counts_[i];
  }
  total_ += other.total_;
}

double ErrorHistogram::Quantile(double quantile) const {
  const auto rank = std::max<int64_t>(
      1,
      static_cast<int64_t>(std::ceil(quantile * static_cast<double>(total_))));
  int64_t seen = 0;
  for (size_t bin = 0; bin < counts_.size(); ++bin) {
    seen += counts_[bin];
    if (seen >= rank) {
      return MiddleOf(static_cast<int64_t>(bin));
    }
  }
  return 0;
}

double ErrorHistogram::ShareOfSquares(double share) const {
  // The number of the largest elements that are not counted yet.
  auto left =
      static_cast<int64_t>(std::ceil(share * static_cast<double>(total_)));
  double largest = 0;
  double all = 0;
  for (auto bin = static_cast<int64_t>(counts_.size()) - 1; bin >= 0; --bin) {
    if (counts_[bin] == 0) {
      continue;
    }
    const int64_t taken = std::min(left, counts_[bin]);
    const double square = MiddleOf(bin) * MiddleOf(bin);
    if (taken > 0) {
      largest += square * static_cast<double>(taken);
    }
    all += square * static_cast<double>(counts_[bin]);
    left -= taken;
  }
  if (all == kInfinity) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return all == 0 ? 0 : largest / all;
}

std::vector<std::pair<int64_t, int64_t>> ErrorHistogram::Bins() const {
  std::vector<std::pair<int64_t, int64_t>> bins;
  for (size_t bin = 0; bin < counts_.size(); ++bin) {
    if (counts_[bin] > 0) {
      bins.emplace_back(bin, counts_[bin]);
    }
  }
  return bins;
}

bool ErrorHistogram::AddBin(int64_t bin, int64_t count) {
  if (bin < 0 || bin >= kBins || count < 0) {
    return false;
  }
  Reserve();
  counts_[bin] += count;
  total_ += count;
  return true;
}

}  // namespace ns
