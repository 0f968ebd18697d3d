// How the values of an activation are distributed, and the range that loses
// least of them to quantization.
#ifndef PASSES_RUNTIME_OBSERVERS_ACTIVATION_HISTOGRAM_H_
#define PASSES_RUNTIME_OBSERVERS_ACTIVATION_HISTOGRAM_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace ns {

// Counts in bins of one width over all values seen. When a batch goes beyond
// the range, old counts move to the wider bins.
class ActivationHistogram {
 public:
  // Adds the elements of `x`, a float32 tensor of finite values.
  void Add(const at::Tensor& x);

  // The part min..max of the range seen for which the squared error of
  // quantizing to `steps` + 1 values is smallest: values inside are off by a
  // step / sqrt(12) on average, values outside are clipped. (0, 0) before any
  // value is seen.
  std::pair<float, float> BestRange(int64_t steps) const;

  // Minimum, maximum, then the counts; empty before any value is seen.
  std::vector<double> State() const;
  static ActivationHistogram FromState(const std::vector<double>& state);

 private:
  void Widen(double min, double max);
  double BinWidth() const;
  double Error(size_t first, size_t last, int64_t steps) const;

  double min_ = 0;
  double max_ = 0;
  std::vector<double> counts_;
};

}  // namespace ns

#endif  // PASSES_RUNTIME_OBSERVERS_ACTIVATION_HISTOGRAM_H_
