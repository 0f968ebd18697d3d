// Compares the tensors that two models have at one place, over all batches.
#ifndef NS_SUITE_POOLED_COMPARISON_H_
#define NS_SUITE_POOLED_COMPARISON_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ns/result/comparison_result.h"
#include "passes/runtime/loggers/channel_dim.h"
#include "passes/runtime/statistics/pooled_statistics.h"

namespace ns {

struct PooledComparisonOptions {
  // Whether the calls of one batch are trips of a loop, which get figures of
  // their own.
  bool in_loop = false;
  // Whether integers and truth values are compared, too. Indices and lengths
  // have no error of quantization.
  bool integers = true;
  // The channels of the values, of which ActivationComparison::channels tells.
  ChannelDim channels = ChannelDim::kNone;
};

class PooledComparison {
 public:
  // `name` is the layer's, for warnings.
  explicit PooledComparison(std::string name,
                            const PooledComparisonOptions& options = {})
      : name_(std::move(name)), options_(options) {}

  // Adds what both sides saw in one batch, `x` of the float side and `y` of the
  // quantized one: call i of x is compared with call i of y. Where one has more
  // calls, its last ones are left out, and warning() says so: behind a branch
  // that only one model took, calls may not correspond. Tensors of different
  // shapes are not compared. Throws c10::Error for tensors that cannot be read,
  // as nested ones.
  void AddBatch(const std::vector<at::Tensor>& x,
                const std::vector<at::Tensor>& y);

  // Absent when no batch could be compared.
  std::optional<ActivationComparison> Result() const;

  // What could not be compared, in one line; empty for nothing.
  const std::string& warning() const { return warning_; }

 private:
  std::string name_;
  PooledComparisonOptions options_;
  // Of the first pair that was compared.
  std::optional<std::vector<int64_t>> shape_;
  PooledSums pooled_;
  // With channels; and no other statistics.
  PooledStatistics by_channel_;
  std::vector<double> batch_sqnr_db_;
  std::vector<PooledSums> trips_;
  std::string warning_;
};

}  // namespace ns

#endif  // NS_SUITE_POOLED_COMPARISON_H_
