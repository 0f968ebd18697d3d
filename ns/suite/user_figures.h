// Averages the metrics of the user over the calls and batches of a run.
#ifndef NS_SUITE_USER_FIGURES_H_
#define NS_SUITE_USER_FIGURES_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "ir/base/byte_stream.h"
#include "ns/result/comparison_result.h"
#include "ns/suite/user_metrics.h"
#include "passes/runtime/statistics/exact_sum.h"

namespace ns {

// The means of all metrics at one place. A place in a loop is called several
// times in a batch: the mean of these is the figure of the batch.
class UserFigures {
 public:
  // `place` is for messages: "activation of conv1". `metrics` is not owned.
  UserFigures(std::string place, const std::vector<UserMetric>* metrics);

  // Computes all metrics of `x`, the float model's value, and `y`, the
  // quantized one's, which are of one shape, quantized or not. Metrics get
  // copies, so that they cannot write to the models' values. After a metric has
  // failed, does nothing.
  void See(const at::Tensor& x, const at::Tensor& y);

  // To be called after every batch. Error: that of the first metric that
  // failed, in this batch or before, with its place.
  absl::Status EndBatch();

  // The means over the batches that had values here, in the order of the
  // metrics; empty when none had.
  std::vector<UserFigure> Means() const;

  // Save what was computed in batches that have ended, and add it to that of
  // others. Merge fails the reader for bytes of other metrics.
  void Save(ByteWriter& writer) const;
  void Merge(ByteReader& reader);

 private:
  struct Sum {
    double of_calls = 0;  // in the batch that runs
    ExactSum of_batches;
  };

  std::string place_;
  const std::vector<UserMetric>* metrics_;
  std::vector<Sum> sums_;
  int64_t calls_ = 0;
  int64_t batches_ = 0;
  absl::Status status_;
};

// Returns a line for each metric that is nan somewhere, with the number of
// these places and the name of the first. `places` are the names of places,
// "activation of conv1", and the figures there; none is null.
std::vector<std::string> NanWarnings(
    const std::vector<std::pair<std::string, const ActivationComparison*>>&
        places);

// The same for all activations, shadows and kernels of the layers of `result`.
std::vector<std::string> NanWarnings(const ComparisonResult& result);

}  // namespace ns

#endif  // NS_SUITE_USER_FIGURES_H_
