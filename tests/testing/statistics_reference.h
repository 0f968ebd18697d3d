// Computes TensorStatistics with LibTorch's float64 operators, as the expected
// value for those of passes/runtime/statistics.
#ifndef TESTS_TESTING_STATISTICS_REFERENCE_H_
#define TESTS_TESTING_STATISTICS_REFERENCE_H_

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "passes/runtime/statistics/tensor_statistics.h"

namespace ns {

// Returns how far sums over these tensors may be off, relative to themselves.
double ToleranceOf(const at::Tensor& x, const at::Tensor& y);

// Fails the test unless they are equal: sums to a relative tolerance of `sums`,
// the largest error to one of `extremes`, all else exactly.
void ExpectSameStatistics(const TensorStatistics& actual,
                          const TensorStatistics& expected, double sums,
                          double extremes);

// Fails the test unless all available kernels find what LibTorch finds.
void ExpectStatisticsOfReference(const at::Tensor& x, const at::Tensor& y,
                                 int64_t channel_dim);

}  // namespace ns

#endif  // TESTS_TESTING_STATISTICS_REFERENCE_H_
