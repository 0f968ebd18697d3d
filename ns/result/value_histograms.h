// Histograms of the values of a float and a quantized tensor and of their
// differences, as reports show them.
#ifndef NS_RESULT_VALUE_HISTOGRAMS_H_
#define NS_RESULT_VALUE_HISTOGRAMS_H_

#include <cstdint>
#include <vector>

namespace at {
class Tensor;
}  // namespace at

namespace ns {

class PairHistograms;

// Where the bins of a histogram are. Bin i counts the values v with
// lowest + i * width <= v < lowest + (i + 1) * width. The last bin of
// HistogramsOfWeight counts its upper end, too.
struct HistogramBins {
  double lowest = 0;
  double width = 0;
};

struct ValueHistograms {
  // The number of pairs that were counted. Pairs with nan or infinity are not.
  // When it is 0, all counts below are empty.
  int64_t samples = 0;
  // The bins of float_counts and quantized_counts, which share them, and those
  // of error_counts. Errors are quantized - float; all is in the unit of the
  // tensors.
  HistogramBins value_bins;
  HistogramBins error_bins;
  std::vector<int64_t> float_counts;
  std::vector<int64_t> quantized_counts;  // as many as float_counts
  std::vector<int64_t> error_counts;
  // How often errors and float values come together: errors_by_value[i][j]
  // counts the pairs whose float value is in bin i of row_bins and whose error
  // is in bin j of column_bins. These bins are wider than those above.
  HistogramBins row_bins;
  HistogramBins column_bins;
  std::vector<std::vector<int64_t>> errors_by_value;
};

// Joins bins that were counted while a model ran, until there are at most 128
// of values, 128 of errors, and errors_by_value has at most 32 rows of 16.
// Empty bins at both ends are left out.
ValueHistograms HistogramsOf(const PairHistograms& histograms);

// Counts all elements of a float weight `x` and its quantized counterpart `y`,
// which has the same shape and may be of a quantized dtype. Always makes 100
// bins of values, from the least one of both tensors to the largest, as the
// plots in PyTorch's tutorial of the numeric suite, 100 bins of errors, and 32
// rows of 16.
ValueHistograms HistogramsOfWeight(const at::Tensor& x, const at::Tensor& y);

}  // namespace ns

#endif  // NS_RESULT_VALUE_HISTOGRAMS_H_
