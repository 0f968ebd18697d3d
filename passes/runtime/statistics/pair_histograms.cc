#include "passes/runtime/statistics/pair_histograms.h"

#include <c10/util/Exception.h>

#include <algorithm>
#include <array>
#include <utility>

#include "passes/runtime/statistics/pair_statistics.h"

namespace ns {
namespace {

// More steps than this make one bin of either sign, too.
constexpr int kMostSteps = 62;

// The index, of `count` that lie on both sides of 0, of what has `index` among
// those that are 2^steps times narrower.
size_t Widened(int64_t index, int64_t count, int steps) {
  // An arithmetic shift: rounds down, as floor does.
  return static_cast<size_t>(((index - count / 2) >> steps) + count / 2);
}

}  // namespace

void PairHistograms::Scale::Set(int new_exponent) {
  exponent = new_exponent;
  per_unit = std::ldexp(1.0, -exponent);
  limit = std::ldexp(static_cast<double>(kHalf), exponent);
}

int PairHistograms::Scale::Widen(double magnitude) {
  const int before = exponent;
  if (magnitude >= limit) {
    // The least power of two above the magnitude is the limit.
    const int wanted = magnitude == 0
                           ? kLeast
                           : std::ilogb(magnitude) + 1 -
                                 std::ilogb(static_cast<double>(kHalf));
    Set(std::max(exponent, wanted));
  }
  return std::min(exponent - before, kMostSteps);
}

bool PairHistograms::MakeRoom(double value, double error) {
  if (!std::isfinite(value) || !std::isfinite(error)) {
    return false;
  }
  const int value_steps = values_.Widen(value);
  const int error_steps = errors_.Widen(error);
  std::vector<int64_t> narrow =
      std::exchange(counts_, std::vector<int64_t>(kCounts));
  if (!narrow.empty()) {
    AddCounts(narrow, value_steps, error_steps);
  }
  return true;
}

void PairHistograms::AddCounts(const std::vector<int64_t>& counts,
                               int value_steps, int error_steps) {
  for (int64_t bin = 0; bin < kBins; ++bin) {
    const size_t of_values = Widened(bin, kBins, value_steps);
    counts_[of_values] += counts[bin];
    counts_[kY + of_values] += counts[kY + bin];
    counts_[kErrors + Widened(bin, kBins, error_steps)] +=
        counts[kErrors + bin];
  }
  for (int64_t row = 0; row < kRows; ++row) {
    const size_t to = kJoint + Widened(row, kRows, value_steps) * kColumns;
    for (int64_t column = 0; column < kColumns; ++column) {
      counts_[to + Widened(column, kColumns, error_steps)] +=
          counts[kJoint + row * kColumns + column];
    }
  }
}

void PairHistograms::Merge(const PairHistograms& other) {
  if (other.total_ == 0) {
    return;
  }
  const auto steps = [](const Scale& from, const Scale& to) {
    return std::min(to.exponent - from.exponent, kMostSteps);
  };
  // Makes counts where there are none, too.
  MakeRoom(std::nextafter(other.values_.limit, 0.0),
           std::nextafter(other.errors_.limit, 0.0));
  AddCounts(other.counts_, steps(other.values_, values_),
            steps(other.errors_, errors_));
  total_ += other.total_;
}

double PairHistograms::value_width() const {
  return std::ldexp(1.0, values_.exponent);
}

double PairHistograms::error_width() const {
  return std::ldexp(1.0, errors_.exponent);
}

std::vector<double> PairHistograms::ToNumbers() const {
  if (total_ == 0) {
    return {};
  }
  std::vector<double> numbers = {static_cast<double>(values_.exponent),
                                 static_cast<double>(errors_.exponent)};
  for (size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i] > 0) {
      numbers.push_back(static_cast<double>(i));
      numbers.push_back(static_cast<double>(counts_[i]));
    }
  }
  return numbers;
}

PairHistograms PairHistograms::FromNumbers(const std::vector<double>& numbers) {
  PairHistograms histograms;
  if (numbers.empty()) {
    return histograms;
  }
  TORCH_CHECK(numbers.size() % 2 == 0, "histograms of ", numbers.size(),
              " numbers, which is odd");
  const auto set = [](Scale& scale, double exponent) {
    TORCH_CHECK(exponent >= Scale::kLeast && exponent <= Scale::kMost &&
                    exponent == std::floor(exponent),
                "bins of a histogram are 2^", exponent, " wide");
    scale.Set(static_cast<int>(exponent));
  };
  set(histograms.values_, numbers[0]);
  set(histograms.errors_, numbers[1]);
  histograms.counts_.resize(kCounts);
  // Of x, y, errors and the table.
  std::array<int64_t, 4> totals = {};
  for (size_t i = 2; i < numbers.size(); i += 2) {
    const int64_t bin = CountFromNumber(numbers[i]);
    TORCH_CHECK(bin < static_cast<int64_t>(kCounts), "histograms have no bin ",
                bin);
    const int64_t count = CountFromNumber(numbers[i + 1]);
    histograms.counts_[bin] += count;
    totals[static_cast<size_t>(std::min<int64_t>(bin / kBins, 3))] += count;
  }
  const auto [x, y, errors, pairs] = totals;
  TORCH_CHECK(pairs > 0 && x == pairs && y == pairs && errors == pairs,
              "histograms of ", x, " x, ", y, " y, ", errors, " errors and ",
              pairs, " pairs; there must be as many of each, and some");
  histograms.total_ = pairs;
  return histograms;
}

}  // namespace ns
