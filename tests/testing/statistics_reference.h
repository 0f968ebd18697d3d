// TensorStatistics from LibTorch's float64 operators, to test ours against.
#ifndef TESTS_TESTING_STATISTICS_REFERENCE_H_
#define TESTS_TESTING_STATISTICS_REFERENCE_H_

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "passes/runtime/statistics/tensor_statistics.h"

namespace ns {

// How far sums over these tensors may be off, relative to themselves.
double ToleranceOf(const at::Tensor& x, const at::Tensor& y);

// Fails the test unless they are equal: sums to a relative tolerance of `sums`,
// the largest error to one of `extremes`, all else exactly.
void ExpectSameStatistics(const TensorStatistics& actual,
                          const TensorStatistics& expected, double sums,
                          double extremes);

// Fails the test unless all available kernels find what LibTorch does.
void ExpectStatisticsOfReference(const at::Tensor& x, const at::Tensor& y,
                                 int64_t channel_dim);

}  // namespace ns

#endif  // TESTS_TESTING_STATISTICS_REFERENCE_H_
