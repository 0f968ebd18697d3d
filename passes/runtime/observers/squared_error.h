// What quantizing costs the values of a histogram.
#ifndef PASSES_RUNTIME_OBSERVERS_SQUARED_ERROR_H_
#define PASSES_RUNTIME_OBSERVERS_SQUARED_ERROR_H_

#include <vector>

#include "passes/runtime/observers/exact_histogram.h"
#include "passes/runtime/observers/qparams.h"

namespace ns {

// Sums over the values of a histogram, from which squared errors follow without
// another look at its bins. Values are taken to be spread evenly over their
// bin, but for zeros, which every grid has.
class SquaredError {
 public:
  explicit SquaredError(const ExactHistogram& histogram);

  // The sum of (x - x')^2 over all values x, where x' is x quantized to `grid`
  // with `qparams`. In units of the squared width of a bin. Takes time
  // proportional to the integers of the grid, or to the bins if they are fewer.
  double Of(const QParams& qparams, const QuantGrid& grid) const;

  // The part of it that the values beyond both ends of the grid have, by more
  // than half a step: those that are clipped.
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

#endif  // PASSES_RUNTIME_OBSERVERS_SQUARED_ERROR_H_
