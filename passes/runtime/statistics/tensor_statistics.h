// Computes all statistics of a float tensor x and a quantized tensor y in one
// pass over both.
#ifndef PASSES_RUNTIME_STATISTICS_TENSOR_STATISTICS_H_
#define PASSES_RUNTIME_STATISTICS_TENSOR_STATISTICS_H_

#include <cstdint>
#include <vector>

#include "passes/runtime/statistics/codes_in_use.h"
#include "passes/runtime/statistics/error_histogram.h"
#include "passes/runtime/statistics/pair_histograms.h"
#include "passes/runtime/statistics/pair_statistics.h"

namespace at {
class Tensor;
}  // namespace at

namespace ns {

// The sums over the elements of one channel.
struct ChannelSums {
  double sum_x2 = 0;  // sum of x^2
  double sum_e2 = 0;  // sum of (x - y)^2
};

// All statistics of a pair. Mergeable: statistics of parts add up to those of
// the whole.
struct TensorStatistics {
  PairStatistics sums;
  CodesInUse codes;  // of y; without elements unless y is quantized to 8 bits
  std::vector<ChannelSums> channels;  // empty unless asked for
  ErrorHistogram errors;              // without elements unless asked for
  // Empty in what CompareTensors returns: TensorStatisticsOptions::histograms.
  PairHistograms histograms;

  // Adds the statistics of another part. Channels add up by index. Where
  // `other` has more of them, the further ones are taken over, as if they had
  // been zero here: the longer list wins.
  void Merge(const TensorStatistics& other);

  // All members as numbers, to save and to load. FromNumbers throws c10::Error
  // for numbers that ToNumbers cannot have made.
  std::vector<double> ToNumbers() const;
  static TensorStatistics FromNumbers(const std::vector<double>& numbers);
};

struct TensorStatisticsOptions {
  // Whether the quantized values that y uses are noted.
  bool codes = true;
  // The dimension of the channels. There are none for -1 and for dimensions
  // that the tensors do not have.
  int64_t channel_dim = -1;
  // Whether absolute errors are counted by their size.
  bool errors = false;
  // Where values and errors of a sample of the elements (element_sample.h) are
  // counted; null for nowhere. It would take longer to merge histograms of each
  // pair than to count.
  PairHistograms* histograms = nullptr;
};

// Compares `x` with `y` as ComparePair does, in the same pass, and throws where
// it throws. Sums of a channel are as accurate as those of all elements, also
// where channels are of very different magnitudes.
TensorStatistics CompareTensors(const at::Tensor& x, const at::Tensor& y,
                                const TensorStatisticsOptions& options = {});

}  // namespace ns

#endif  // PASSES_RUNTIME_STATISTICS_TENSOR_STATISTICS_H_
