// Computes the squared error of quantizing the values of a histogram.
#ifndef PASSES_RUNTIME_OBSERVERS_VALUES_SQUARED_ERROR_H_
#define PASSES_RUNTIME_OBSERVERS_VALUES_SQUARED_ERROR_H_

#include <vector>

#include "passes/runtime/observers/values/exact_histogram.h"
#include "passes/runtime/observers/values/qparams.h"

namespace ns {

// Keeps sums over the values of a histogram, from which squared errors follow
// without another look at its bins. Values count as spread evenly over their
// bin, but for exact zeros, which have no error.
class SquaredError {
 public:
  // `histogram` must have a finite value, and is not kept.
  explicit SquaredError(const ExactHistogram& histogram);

  // Returns the sum of (x - x')^2 over all values x, in units of the squared
  // width of a bin. x' is x quantized with `qparams` to the integers
  // grid.quant_min..quant_max, and dequantized. It takes time proportional to
  // the number of these integers, or to that of the bins if they are fewer.
  double Of(const QParams& qparams, const QuantGrid& grid) const;

  // Returns the part of this sum that comes from clipped values: those that are
  // more than half a step (a scale) below the lowest or above the highest value
  // of the grid.
  double OfClipped(const QParams& qparams, const QuantGrid& grid) const;

 private:
  // Of the values below a position.
  struct Moments {
    double count = 0;
    double sum = 0;
    double squares = 0;
  };
  // `position` is in bins from zero.
  Moments Below(double position) const;
  // Of the values between two positions that become `level`.
  static double Between(const Moments& low, const Moments& high, double level);

  double width_;
  double first_;
  std::vector<double> counts_;
  // Below the lower edge of each bin, and below the last upper edge.
  std::vector<Moments> below_;
};

}  // namespace ns

#endif  // PASSES_RUNTIME_OBSERVERS_VALUES_SQUARED_ERROR_H_
