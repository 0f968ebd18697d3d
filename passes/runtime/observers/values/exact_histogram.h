// How the values of an activation are distributed: exact counts in a fixed
// memory, whatever the order and the number of batches.
#ifndef PASSES_RUNTIME_OBSERVERS_VALUES_EXACT_HISTOGRAM_H_
#define PASSES_RUNTIME_OBSERVERS_VALUES_EXACT_HISTOGRAM_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "passes/runtime/observers/values/value_range.h"

namespace ns {

// Counts in bins of a width that is a power of two: bin i holds the values in
// [i * width, (i + 1) * width). The width is the smallest for which at most
// kBins bins cover the values and zero. When values go beyond, the 2^k bins
// whose union is a bin of the new width merge, so that counts and width depend
// on the values alone: a histogram of two halves merged is that of the whole.
class ExactHistogram {
 public:
  static constexpr int64_t kBins = 2048;

  ExactHistogram();

  // Adds `count` values; nan and inf are counted in range() alone.
  void Add(const float* x, int64_t count);
  void Merge(const ExactHistogram& other);

  // Of the values added so far.
  const ValueRange& range() const { return range_; }
  // How many of them are exactly zero, which quantizes without an error. They
  // are in bin 0, too.
  int64_t zeros() const { return zeros_; }
  double width() const;

  // The bins with counts are within first_bin()..last_bin(), both included,
  // which is never more than kBins and has bin 0.
  int64_t first_bin() const { return BinOf(std::min(range_.finite.min, 0.0F)); }
  int64_t last_bin() const { return BinOf(std::max(range_.finite.max, 0.0F)); }
  // `bin` must be in first_bin()..last_bin().
  int64_t CountOf(int64_t bin) const;

  // Counts of first_bin() to last_bin(), for saving; empty without finite
  // values.
  std::vector<int64_t> Counts() const;
  // Makes this the histogram that was saved: its range(), zeros() and Counts().
  // Returns false, and changes nothing, when `counts` is not of the size that
  // `range` needs.
  bool Restore(const ValueRange& range, int64_t zeros,
               const std::vector<int64_t>& counts);

 private:
  int64_t BinOf(float x) const;
  // Makes bins wide enough for range_.
  void Widen();
  // Adds the counts of bins that are 2^steps times narrower, or as wide.
  void AddCounts(const std::vector<int64_t>& counts, int steps);

  ValueRange range_;
  int64_t zeros_ = 0;
  // The width is 2^exponent_.
  int exponent_;
  // Bin i at kBinRoom / 2 + i.
  std::vector<int64_t> counts_;
};

}  // namespace ns

#endif  // PASSES_RUNTIME_OBSERVERS_VALUES_EXACT_HISTOGRAM_H_
