// Compares TensorStatistics of passes/runtime/statistics with those that
// LibTorch's float64 operators compute.
#ifndef TESTS_TESTING_STATISTICS_REFERENCE_H_
#define TESTS_TESTING_STATISTICS_REFERENCE_H_

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "passes/runtime/statistics/tensor_statistics.h"

namespace ns {

// Returns the relative tolerance of sums over these tensors: smaller where
// their dtype makes the kernels add in double.
double ToleranceOf(const at::Tensor& x, const at::Tensor& y);

// Fails the test unless both are equal: sums of squares to a relative tolerance
// of `sums` (sum_e and sum_xy, which may cancel, to twice that of a bound on
// the sum of their magnitudes), the largest error to one of `extremes`, all
// else exactly.
void ExpectSameStatistics(const TensorStatistics& actual,
                          const TensorStatistics& expected, double sums,
                          double extremes);

// Fails the test unless CompareTensors and CompareErrors give, with each kernel
// of AvailablePairKernels, what LibTorch computes. A `channel_dim` that the
// tensors do not have, such as -1, compares no channels.
void ExpectStatisticsOfReference(const at::Tensor& x, const at::Tensor& y,
                                 int64_t channel_dim);

}  // namespace ns

#endif  // TESTS_TESTING_STATISTICS_REFERENCE_H_
