// The histogram of PyTorch's HistogramObserver, and the range it searches.
#ifndef PASSES_RUNTIME_OBSERVERS_VALUES_REFERENCE_HISTOGRAM_H_
#define PASSES_RUNTIME_OBSERVERS_VALUES_REFERENCE_HISTOGRAM_H_

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "passes/runtime/observers/values/value_range.h"

namespace ns {

// Counts in `bins` bins of one width over the range of all values. When the
// range grows, old counts are spread evenly over upsample_rate parts of their
// bin, which move to the new bins; only the maximum is rounded up, so that the
// two grids fit.
//
// With `compat`, two defects of PyTorch 1.13 are kept: values are counted
// between the bounds rounded towards zero, those beyond are lost and the others
// end up in bins of other values; and batches of one value, while no other is
// known, are forgotten by the next.
class ReferenceHistogram {
 public:
  ReferenceHistogram(int64_t bins, int64_t upsample_rate, bool compat);

  // Adds the values of `x`, of float32, whose range, finite and not empty, is
  // `range`. With `compat`, throws where a new bin would be as wide as more
  // than 2^40 parts.
  void Add(const at::Tensor& x, const Interval& range);

  // Adds the counts of another as Add does those of a batch.
  void Merge(const ReferenceHistogram& other);

  // Empty before values were added.
  const Interval& range() const { return range_; }
  // Of float32, by bin.
  const at::Tensor& counts() const { return counts_; }
  void Restore(const Interval& range, const at::Tensor& counts);

  // Returns the part of the range for which quantizing to `levels` integers has
  // the least squared error, of those tried. From the whole range, which is not
  // tried itself, the end moves inwards that gets farther, in bins, by leaving
  // out 0.001 % of the values more, until the error grows: as in PyTorch, one
  // bin at least is left out. Values must have been added.
  Interval BestRange(double levels) const;

 private:
  // How range_ and another fit on one grid of parts, of which bins of range_
  // have upsample_rate.
  struct Grid;
  Grid GridOver(const Interval& wider) const;

  at::Tensor Count(const at::Tensor& x, const Interval& range) const;
  // Adds the old counts, on the bins of `grid`.
  void AddRegridded(const Grid& grid, at::Tensor& counts) const;
  // Adds all old counts where their least value is in `wider`.
  void AddAsOneValue(const Interval& wider, at::Tensor& counts) const;
  double Error(int64_t first, int64_t last, double levels) const;

  int64_t bins_;
  int64_t upsample_rate_;
  bool compat_;
  Interval range_;
  at::Tensor counts_;
};

}  // namespace ns

#endif  // PASSES_RUNTIME_OBSERVERS_VALUES_REFERENCE_HISTOGRAM_H_
