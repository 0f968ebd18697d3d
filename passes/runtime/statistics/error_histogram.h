// Records how the absolute errors of a pair of tensors are distributed.
#ifndef PASSES_RUNTIME_STATISTICS_ERROR_HISTOGRAM_H_
#define PASSES_RUNTIME_STATISTICS_ERROR_HISTOGRAM_H_

#include <cstdint>
#include <utility>
#include <vector>

namespace ns {

// Counts |x - y|, element by element, in bins whose upper end is at most 1/16
// above their lower one, whatever the magnitude: all floats with the same
// exponent and the same first four binary digits of the mantissa share a bin.
// Memory is fixed, 32 KiB once something was counted. Mergeable: the histogram
// of parts is that of the whole. Counting an element costs a store, about as
// much as all the sums of PairStatistics.
class ErrorHistogram {
 public:
  // Counts errors. Those that are NaN are not counted; those of infinities are
  // infinite, or 0 where both sides are the same one. Errors of doubles are
  // counted as floats, and are infinite or 0 beyond their range.
  void Add(const float* x, const float* y, int64_t count);
  void Add(const double* x, const double* y, int64_t count);

  void Merge(const ErrorHistogram& other);

  // Returns the number of errors that were counted.
  int64_t total() const { return total_; }

  // Returns the least error e such that a share `quantile` of the errors, 0 to
  // 1, is no larger: exact to half of its bin, 1/32 of itself. 0 where nothing
  // was counted.
  double Quantile(double quantile) const;

  // Returns the part, 0 to 1, of the sum of squared errors that comes from the
  // largest errors, a share `share` of the elements: exact to 1/8 of itself. 0
  // where all errors are 0, nan where some are infinite.
  double ShareOfSquares(double share) const;

  // Bins returns pairs of a bin and its count, for saving, without empty bins.
  // AddBin adds one when a histogram is loaded; it returns false for a bin that
  // does not exist.
  std::vector<std::pair<int64_t, int64_t>> Bins() const;
  bool AddBin(int64_t bin, int64_t count);

 private:
  void Reserve();

  // Empty until something is counted.
  std::vector<int64_t> counts_;
  int64_t total_ = 0;
};

}  // namespace ns

#endif  // PASSES_RUNTIME_STATISTICS_ERROR_HISTOGRAM_H_
