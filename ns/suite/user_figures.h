// Averages the metrics of the user over the calls and batches of a run.
#ifndef NS_SUITE_USER_FIGURES_H_
#define NS_SUITE_USER_FIGURES_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "ns/suite/comparison_result.h"
#include "ns/suite/user_metrics.h"

namespace ns {

// The means of all metrics at one place. A place in a loop is called several
// times in a batch: the mean of these is the figure of the batch.
class UserFigures {
 public:
  // `place` is for messages: "activation of conv1". `metrics` is not owned.
  UserFigures(std::string place, const std::vector<UserMetric>* metrics);

  // Adds a pair of values of one shape, quantized or not. They are copied, so
  // that a metric cannot write to the models' values.
  void See(const at::Tensor& x, const at::Tensor& y);

  // To be called after every batch. Error: the first metric that failed in it,
  // with its place.
  absl::Status EndBatch();

  // The means over batches, in the order of the metrics; empty when no batch
  // came by.
  std::vector<UserFigure> Means() const;

 private:
  struct Sum {
    double of_calls = 0;
    double of_batches = 0;
  };

  std::string place_;
  const std::vector<UserMetric>* metrics_;
  std::vector<Sum> sums_;
  int64_t calls_ = 0;
  int64_t batches_ = 0;
  absl::Status status_;
};

// A line for each metric that is nan somewhere: `places` are the names of
// layers and what was compared there, in order.
std::vector<std::string> NanWarnings(
    const std::vector<std::pair<std::string, const ActivationComparison*>>&
        places);

// The same for all that was compared of the layers of `result`.
std::vector<std::string> NanWarnings(const ComparisonResult& result);

}  // namespace ns

#endif  // NS_SUITE_USER_FIGURES_H_
