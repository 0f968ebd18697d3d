// Records how the values of a pair of tensors, and their errors, are
// distributed.
#ifndef PASSES_RUNTIME_STATISTICS_PAIR_HISTOGRAMS_H_
#define PASSES_RUNTIME_STATISTICS_PAIR_HISTOGRAMS_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns {

// Counts values x and y in the same bins, their errors y - x in bins of their
// own, and which errors meet which x.
//
// Bins have a width w that is a power of two, and lie on both sides of 0: the
// bin with index b has the values in [(b - kHalf) w, (b - kHalf + 1) w). When a
// value is beyond all bins, w doubles, and two bins become one, as often as it
// takes. So the counts do not depend on the order of what is counted: the
// histograms of parts, merged, are those of the whole. Memory is fixed, 28 KiB
// once something was counted. The value with the largest magnitude is in the
// outer half of the bins.
//
// ExactHistogram (passes/runtime/observers) is finer, and faster for all values
// of a tensor; this is for a sample of them.
class PairHistograms {
 public:
  static constexpr int64_t kHalf = 256;
  static constexpr int64_t kBins = 2 * kHalf;
  // Which errors meet which x is counted in a coarser table: a row of it stands
  // for kBinsOfRow adjacent bins of x, a column for kBinsOfColumn of errors.
  static constexpr int64_t kBinsOfRow = 8;
  static constexpr int64_t kBinsOfColumn = 16;
  static constexpr int64_t kRows = kBins / kBinsOfRow;
  static constexpr int64_t kColumns = kBins / kBinsOfColumn;

  // Counts a pair, unless x, y or their difference is not finite.
  void Add(double x, double y) {
    const double error = y - x;
    const double largest = std::max(std::abs(x), std::abs(y));
    // Both are false for nan.
    if (!(largest < values_.limit && std::abs(error) < errors_.limit) &&
        !MakeRoom(largest, std::abs(error))) {
      return;
    }
    ++total_;
    const size_t of_x = values_.BinOf(x);
    const size_t of_error = errors_.BinOf(error);
    ++counts_[of_x];
    ++counts_[kY + values_.BinOf(y)];
    ++counts_[kErrors + of_error];
    ++counts_[kJoint + of_x / kBinsOfRow * kColumns + of_error / kBinsOfColumn];
  }

  void Merge(const PairHistograms& other);

  // The number of pairs that were counted.
  int64_t total() const { return total_; }
  // The width of a bin of x and y, and of errors.
  double value_width() const;
  double error_width() const;
  // How many x, y or errors are in a bin, and how many pairs in a row and
  // column of the table; something must have been counted.
  int64_t CountOfX(int64_t bin) const { return counts_[bin]; }
  int64_t CountOfY(int64_t bin) const { return counts_[kY + bin]; }
  int64_t CountOfError(int64_t bin) const { return counts_[kErrors + bin]; }
  int64_t CountOf(int64_t row, int64_t column) const {
    return counts_[kJoint + row * kColumns + column];
  }

  // An even number of numbers, to save and to load; none where nothing was
  // counted. FromNumbers throws c10::Error for numbers of no bin or no count,
  // and where x, y, errors and pairs are not equally many.
  std::vector<double> ToNumbers() const;
  static PairHistograms FromNumbers(const std::vector<double>& numbers);

 private:
  // How wide the bins are.
  struct Scale {
    // The least there is: the inverse of the width is finite.
    static constexpr int kLeast = -1020;
    // The largest that a finite value needs.
    static constexpr int kMost = 1016;

    int exponent = kLeast;
    double per_unit = 0;
    // No value that has this magnitude, or a larger one, has a bin: none at all
    // before the first.
    double limit = 0;

    // Makes bins wide enough for `magnitude`; returns how often they doubled.
    int Widen(double magnitude);
    void Set(int new_exponent);
    size_t BinOf(double value) const {
      const double widths = value * per_unit;
      const auto whole = static_cast<int64_t>(widths);
      // Rounded down.
      return static_cast<size_t>(
          whole - static_cast<int64_t>(widths < static_cast<double>(whole)) +
          kHalf);
    }
  };

  // Where counts of y, of errors and of pairs begin, behind those of x.
  static constexpr size_t kY = kBins;
  static constexpr size_t kErrors = 2 * kBins;
  static constexpr size_t kJoint = 3 * kBins;
  static constexpr size_t kCounts = kJoint + kRows * kColumns;

  // Makes bins wide enough for the magnitudes of values and errors. Returns
  // false for those that are not finite.
  bool MakeRoom(double value, double error);
  // Adds counts of bins that are 2^steps times narrower.
  void AddCounts(const std::vector<int64_t>& counts, int value_steps,
                 int error_steps);

  Scale values_;
  Scale errors_;
  int64_t total_ = 0;
  // Empty until something is counted.
  std::vector<int64_t> counts_;
};

}  // namespace ns

#endif  // PASSES_RUNTIME_STATISTICS_PAIR_HISTOGRAMS_H_
