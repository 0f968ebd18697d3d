// All that is known of a float tensor x and a quantized tensor y from one pass
// over both.
#ifndef PASSES_RUNTIME_STATISTICS_TENSOR_STATISTICS_H_
#define PASSES_RUNTIME_STATISTICS_TENSOR_STATISTICS_H_

#include <cstdint>
#include <vector>

#include "passes/runtime/statistics/codes_in_use.h"
#include "passes/runtime/statistics/error_histogram.h"
#include "passes/runtime/statistics/pair_statistics.h"

namespace at {
class Tensor;
}  // namespace at

namespace ns {

// Of the elements of one channel.
struct ChannelSums {
  double sum_x2 = 0;  // sum of x^2
  double sum_e2 = 0;  // sum of (x - y)^2
};

// Mergeable: statistics of parts add up to those of the whole.
struct TensorStatistics {
  PairStatistics sums;
  CodesInUse codes;  // of y; of no element unless y is quantized to 8 bits
  std::vector<ChannelSums> channels;  // empty unless asked for
  ErrorHistogram errors;              // of no element unless asked for

  // Channels add up by index. Where `other` has more of them, the further ones
  // are taken over, as if they had been zero here: the longer list wins.
  void Merge(const TensorStatistics& other);

  // All of it as numbers, to save and to load. FromNumbers throws c10::Error
  // for numbers that ToNumbers cannot have made.
  std::vector<double> ToNumbers() const;
  static TensorStatistics FromNumbers(const std::vector<double>& numbers);
};

struct TensorStatisticsOptions {
  // Whether the use of the codes of y is noted.
  bool codes = true;
  // The dimension of the channels; -1 and dimensions that the tensors do not
  // have: no channels.
  int64_t channel_dim = -1;
  // Whether absolute errors are counted by their size.
  bool errors = false;
};

// Compares `x` with `y` as ComparePair does, in the same pass, and throws where
// it throws. Sums of a channel are as accurate as those of all elements, also
// where channels are of very different magnitudes.
TensorStatistics CompareTensors(const at::Tensor& x, const at::Tensor& y,
                                const TensorStatisticsOptions& options = {});

}  // namespace ns

#endif  // PASSES_RUNTIME_STATISTICS_TENSOR_STATISTICS_H_
