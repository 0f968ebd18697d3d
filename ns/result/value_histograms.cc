#include "ns/result/value_histograms.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>

#include "passes/runtime/statistics/pair_histograms.h"

namespace ns {
namespace {

constexpr int64_t kMostBins = 128;
constexpr int64_t kMostRows = 32;
constexpr int64_t kMostColumns = 16;
constexpr int64_t kBinsOfWeight = 100;

// Some bins in a row, of which `joined` adjacent ones become one.
struct BinRange {
  int64_t first = 0;
  int64_t joined = 1;
  int64_t count = 0;

  int64_t IndexOf(int64_t bin) const {
    // Rounded down, for bins on both sides of 0.
    return (bin >= 0 ? bin : bin - joined + 1) / joined - first;
  }
};

// The bins -half..half - 1 for which `has` is true, and those between them, as
// at most `most`. Bins that become one begin at a multiple of their number.
BinRange RangeOf(int64_t half, int64_t most,
                 const std::function<bool(int64_t bin)>& has) {
  int64_t begin = -half;
  int64_t end = half;
  while (begin < end && !has(begin)) {
    ++begin;
  }
  while (begin < end && !has(end - 1)) {
    --end;
  }
  BinRange range;
  for (;; range.joined *= 2) {
    range.first = 0;
    range.first = range.IndexOf(begin);
    range.count = begin == end ? 0 : range.IndexOf(end - 1) + 1;
    if (range.count <= most) {
      return range;
    }
  }
}

HistogramBins BinsOf(const BinRange& range, double width) {
  const double joined = width * static_cast<double>(range.joined);
  return {static_cast<double>(range.first) * joined, joined};
}

std::vector<int64_t> CountsOf(
    int64_t half, const BinRange& range,
    const std::function<int64_t(int64_t bin)>& count_of) {
  std::vector<int64_t> counts(range.count);
  for (int64_t bin = -half; bin < half; ++bin) {
    if (const int64_t count = count_of(bin); count > 0) {
      counts[range.IndexOf(bin)] += count;
    }
  }
  return counts;
}

// (x - y) / z, also where x - y is too large for a double. Halves of such
// numbers are exact.
double DifferenceOver(double x, double y, double z) {
  const double difference = x - y;
  return std::isinf(difference) ? (x / 2 - y / 2) / (z / 2) : difference / z;
}

// Equal bins from the least value to the largest.
class EvenBins {
 public:
  EvenBins(const std::vector<double>& values, int64_t count) : count_(count) {
    const auto [least, largest] =
        std::minmax_element(values.begin(), values.end());
    bins_.lowest = values.empty() ? 0 : *least;
    if (!values.empty()) {
      bins_.width =
          DifferenceOver(*largest, *least, static_cast<double>(count));
    }
    // A single value gets bins around it.
    if (!(bins_.width > 0)) {
      bins_.width = 1.0 / static_cast<double>(count);
      bins_.lowest -= 0.5;
    }
  }

  const HistogramBins& bins() const { return bins_; }
  int64_t count() const { return count_; }
  size_t IndexOf(double value) const {
    const auto bin =
        static_cast<int64_t>(DifferenceOver(value, bins_.lowest, bins_.width));
    return static_cast<size_t>(std::clamp<int64_t>(bin, 0, count_ - 1));
  }

 private:
  int64_t count_;
  HistogramBins bins_;
};

std::vector<double> DoublesOf(const at::Tensor& tensor) {
  const at::Tensor values =
      (tensor.is_quantized() ? tensor.dequantize() : tensor)
          .detach()
          .to(at::kDouble)
          .contiguous();
  const double* data = values.data_ptr<double>();
  return {data, data + values.numel()};
}

}  // namespace

ValueHistograms HistogramsOf(const PairHistograms& histograms) {
  ValueHistograms result;
  result.samples = histograms.total();
  if (result.samples == 0) {
    return result;
  }
  constexpr int64_t kHalf = PairHistograms::kHalf;
  const auto x = [&](int64_t bin) { return histograms.CountOfX(bin + kHalf); };
  const auto y = [&](int64_t bin) { return histograms.CountOfY(bin + kHalf); };
  const auto error = [&](int64_t bin) {
    return histograms.CountOfError(bin + kHalf);
  };
  const BinRange values = RangeOf(
      kHalf, kMostBins, [&](int64_t bin) { return x(bin) > 0 || y(bin) > 0; });
  const BinRange errors =
      RangeOf(kHalf, kMostBins, [&](int64_t bin) { return error(bin) > 0; });
  result.value_bins = BinsOf(values, histograms.value_width());
  result.error_bins = BinsOf(errors, histograms.error_width());
  result.float_counts = CountsOf(kHalf, values, x);
  result.quantized_counts = CountsOf(kHalf, values, y);
  result.error_counts = CountsOf(kHalf, errors, error);

  constexpr int64_t kHalfRows = PairHistograms::kRows / 2;
  constexpr int64_t kHalfColumns = PairHistograms::kColumns / 2;
  const auto joint = [&](int64_t row, int64_t column) {
    return histograms.CountOf(row + kHalfRows, column + kHalfColumns);
  };
  const BinRange rows = RangeOf(kHalfRows, kMostRows, [&](int64_t row) {
    for (int64_t column = -kHalfColumns; column < kHalfColumns; ++column) {
      if (joint(row, column) > 0) {
        return true;
      }
    }
    return false;
  });
  const BinRange columns =
      RangeOf(kHalfColumns, kMostColumns, [&](int64_t column) {
        for (int64_t row = -kHalfRows; row < kHalfRows; ++row) {
          if (joint(row, column) > 0) {
            return true;
          }
        }
        return false;
      });
  result.row_bins =
      BinsOf(rows, histograms.value_width() * PairHistograms::kBinsOfRow);
  result.column_bins =
      BinsOf(columns, histograms.error_width() * PairHistograms::kBinsOfColumn);
  result.errors_by_value.assign(rows.count,
                                std::vector<int64_t>(columns.count));
  for (int64_t row = -kHalfRows; row < kHalfRows; ++row) {
    for (int64_t column = -kHalfColumns; column < kHalfColumns; ++column) {
      if (const int64_t count = joint(row, column); count > 0) {
        result.errors_by_value[rows.IndexOf(row)][columns.IndexOf(column)] +=
            count;
      }
    }
  }
  return result;
}

ValueHistograms HistogramsOfWeight(const at::Tensor& x, const at::Tensor& y) {
  const std::vector<double> all_x = DoublesOf(x);
  const std::vector<double> all_y = DoublesOf(y);
  std::vector<double> xs;
  std::vector<double> errors;
  std::vector<double> values;
  for (size_t i = 0; i < all_x.size(); ++i) {
    const double error = all_y[i] - all_x[i];
    if (std::isfinite(error)) {
      xs.push_back(all_x[i]);
      errors.push_back(error);
      values.push_back(all_x[i]);
      values.push_back(all_y[i]);
    }
  }
  ValueHistograms result;
  result.samples = static_cast<int64_t>(xs.size());
  if (xs.empty()) {
    return result;
  }
  const EvenBins of_values(values, kBinsOfWeight);
  const EvenBins of_errors(errors, kBinsOfWeight);
  const EvenBins rows(xs, kMostRows);
  const EvenBins columns(errors, kMostColumns);
  result.value_bins = of_values.bins();
  result.error_bins = of_errors.bins();
  result.row_bins = rows.bins();
  result.column_bins = columns.bins();
  result.float_counts.resize(kBinsOfWeight);
  result.quantized_counts.resize(kBinsOfWeight);
  result.error_counts.resize(kBinsOfWeight);
  result.errors_by_value.assign(kMostRows, std::vector<int64_t>(kMostColumns));
  for (size_t i = 0; i < xs.size(); ++i) {
    ++result.float_counts[of_values.IndexOf(xs[i])];
    ++result.quantized_counts[of_values.IndexOf(values[2 * i + 1])];
    ++result.error_counts[of_errors.IndexOf(errors[i])];
    ++result.errors_by_value[rows.IndexOf(xs[i])][columns.IndexOf(errors[i])];
  }
  return result;
}

}  // namespace ns
