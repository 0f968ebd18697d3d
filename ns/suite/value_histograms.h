// How the values of two tensors and their differences are distributed, as
// reports show it.
#ifndef NS_SUITE_VALUE_HISTOGRAMS_H_
#define NS_SUITE_VALUE_HISTOGRAMS_H_

#include <cstdint>
#include <vector>

namespace at {
class Tensor;
}  // namespace at

namespace ns {

class PairHistograms;

// Bins of equal width: bin i has what is in [lowest + i width, lowest + (i + 1)
// width). The last bin of a weight's has its upper end, too.
struct HistogramBins {
  double lowest = 0;
  double width = 0;
};

struct ValueHistograms {
  // The number of pairs that were counted. Those of which a value is not finite
  // were not.
  int64_t samples = 0;
  // Of the values of both sides, in their unit, and of quantized - float.
  HistogramBins value_bins;
  HistogramBins error_bins;
  std::vector<int64_t> float_counts;
  std::vector<int64_t> quantized_counts;  // as many
  std::vector<int64_t> error_counts;
  // Which errors meet which float values: a row for each bin of the latter, and
  // in it a count for each bin of errors. Bins are wider here.
  HistogramBins row_bins;
  HistogramBins column_bins;
  std::vector<std::vector<int64_t>> errors_by_value;
};

// At most 128 bins, and 32 rows of 16: from the first bin that has something to
// the last one.
ValueHistograms HistogramsOf(const PairHistograms& histograms);

// Of all elements of a weight and its quantized counterpart `y`, which has the
// same shape and may be quantized: 100 bins from the least value of both to the
// largest, as the plots of PyTorch's tutorial of the numeric suite have them,
// 100 bins of errors, and 32 rows of 16.
ValueHistograms HistogramsOfWeight(const at::Tensor& x, const at::Tensor& y);

}  // namespace ns

#endif  // NS_SUITE_VALUE_HISTOGRAMS_H_
