#include "passes/runtime/observers/values/exact_histogram.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "passes/runtime/observers/values/value_kernels.h"

namespace ns {
namespace {

// Of the smallest width. Its inverse is a float, too.
constexpr int kLeastExponent = -126;
constexpr int64_t kZeroBin = kBinRoom / 2;
static_assert(kBinRoom == 2 * ExactHistogram::kBins,
              "any kBins bins that contain bin 0 have room");

// A whole number: there are more bins than int64_t has when they are narrow.
double BinAt(float x, int exponent) {
  return std::floor(std::ldexp(double{x}, -exponent));
}

double BinsOf(const ValueRange& range, int exponent) {
  return BinAt(std::max(range.finite.max, 0.0F), exponent) -
         BinAt(std::min(range.finite.min, 0.0F), exponent) + 1;
}

// Of the smallest width whose bins cover `range` and zero; not below `least`.
int ExponentFor(const ValueRange& range, int least) {
  const double length = double{std::max(range.finite.max, 0.0F)} -
                        double{std::min(range.finite.min, 0.0F)};
  // No smaller one does: the bins would be shorter than the range.
  int exponent =
      length > 0 ? std::ilogb(length / ExactHistogram::kBins) : least;
  exponent = std::max(exponent, least);
  while (BinsOf(range, exponent) > ExactHistogram::kBins) {
    ++exponent;
  }
  return exponent;
}

// How often bins of the first width double to have the second. More than 62
// make one bin of either sign, too.
int StepsBetween(int exponent, int wider) {
  return std::min(wider - exponent, 62);
}

std::vector<float> FiniteOnly(const float* x, int64_t count) {
  std::vector<float> finite;
  std::copy_if(x, x + count, std::back_inserter(finite),
               [](float value) { return std::isfinite(value); });
  return finite;
}

// Where values are counted first: in small integers, for speed.
class BinTables {
 public:
  // Counts finite values in bins of width 2^exponent; returns how many are
  // zero.
  int64_t Count(const float* x, int64_t count, int exponent) {
    in_tables_ += count;
    return ChosenValueKernels().count_bins(
        x, count, static_cast<float>(std::ldexp(1.0, -exponent)),
        tables_.data());
  }

  // Whether a table could overflow soon.
  bool IsFull() const { return in_tables_ > kMost; }

  // Moves what was counted, all of it in bins `first`..`last`.
  void MoveTo(std::vector<int64_t>& counts, int64_t first, int64_t last) {
    if (in_tables_ == 0) {
      return;
    }
    for (int64_t table = 0; table < kBinTables; ++table) {
      uint32_t* counted = tables_.data() + table * kBinStride;
      for (int64_t i = kZeroBin + first; i <= kZeroBin + last; ++i) {
        counts[static_cast<size_t>(i)] += counted[i];
        counted[i] = 0;
      }
    }
    in_tables_ = 0;
  }

 private:
  static constexpr int64_t kMost = int64_t{1} << 31;

  std::vector<uint32_t> tables_ =
      std::vector<uint32_t>(kBinTables * kBinStride);
  int64_t in_tables_ = 0;
};

}  // namespace

ExactHistogram::ExactHistogram()
    : exponent_(kLeastExponent), counts_(kBinRoom) {}

double ExactHistogram::width() const { return std::ldexp(1.0, exponent_); }

int64_t ExactHistogram::BinOf(float x) const {
  return static_cast<int64_t>(BinAt(x, exponent_));
}

int64_t ExactHistogram::CountOf(int64_t bin) const {
  return counts_[static_cast<size_t>(kZeroBin + bin)];
}

void ExactHistogram::AddCounts(const std::vector<int64_t>& counts, int steps) {
  for (int64_t i = 0; i < kBinRoom; ++i) {
    // An arithmetic shift: rounds down, as floor does.
    counts_[static_cast<size_t>(kZeroBin + ((i - kZeroBin) >> steps))] +=
        counts[static_cast<size_t>(i)];
  }
}

void ExactHistogram::Widen() {
  if (BinsOf(range_, exponent_) <= kBins) {
    return;
  }
  const int exponent = ExponentFor(range_, exponent_);
  const std::vector<int64_t> narrow =
      std::exchange(counts_, std::vector<int64_t>(kBinRoom));
  AddCounts(narrow, StepsBetween(exponent_, exponent));
  exponent_ = exponent;
}

void ExactHistogram::Add(const float* x, int64_t count) {
  thread_local BinTables tables;
  const auto collect = [&] { tables.MoveTo(counts_, first_bin(), last_bin()); };
  for (int64_t i = 0; i < count; i += kMostBinned) {
    // The block is in the cache when it is read again.
    const float* block = x + i;
    const int64_t length = std::min(kMostBinned, count - i);
    const ValueRange added = RangeOf(block, length);
    ValueRange all = range_;
    all.Merge(added);
    if (BinsOf(all, exponent_) > kBins || tables.IsFull()) {
      collect();
    }
    range_ = all;
    Widen();
    if (added.NonFinite() == 0) {
      zeros_ += tables.Count(block, length, exponent_);
    } else {
      const std::vector<float> finite = FiniteOnly(block, length);
      zeros_ += tables.Count(finite.data(), static_cast<int64_t>(finite.size()),
                             exponent_);
    }
  }
  collect();
}

void ExactHistogram::Merge(const ExactHistogram& other) {
  range_.Merge(other.range_);
  zeros_ += other.zeros_;
  Widen();
  AddCounts(other.counts_, StepsBetween(other.exponent_, exponent_));
}

std::vector<int64_t> ExactHistogram::Counts() const {
  if (range_.finite.IsEmpty()) {
    return {};
  }
  const auto begin = counts_.begin() + kZeroBin;
  return {begin + first_bin(), begin + last_bin() + 1};
}

bool ExactHistogram::Restore(const ValueRange& range, int64_t zeros,
                             const std::vector<int64_t>& counts) {
  ExactHistogram restored;
  restored.range_ = range;
  restored.zeros_ = zeros;
  if (!range.finite.IsEmpty()) {
    restored.exponent_ = ExponentFor(range, kLeastExponent);
    const int64_t bins = restored.last_bin() - restored.first_bin() + 1;
    if (static_cast<int64_t>(counts.size()) != bins) {
      return false;
    }
    std::copy(counts.begin(), counts.end(),
              restored.counts_.begin() + kZeroBin + restored.first_bin());
  } else if (!counts.empty()) {
    return false;
  }
  *this = std::move(restored);
  return true;
}

}  // namespace ns
