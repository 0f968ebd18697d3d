// Averages rows of quantized values that lie side by side.
#ifndef PASSES_KERNELS_ELEMENTWISE_AVERAGE_ROWS_H_
#define PASSES_KERNELS_ELEMENTWISE_AVERAGE_ROWS_H_

#include <cstdint>

#include "passes/kernels/parallel.h"

namespace ns::kernels {

// The longest row that AverageRows takes.
constexpr int64_t kMostAveragedValues = int64_t{1} << 23;

// The average of each of `rows` rows of `row_size` quantized values, at least
// one, to nearest, ties to even steps from `zero_point`:
//
//   out[i] = zero_point +
//            nearbyint((float)sum_k (quantized[i][k] - zero_point) / row_size)
//
// LibTorch's qmean_inner_dim_kernel is this with a zero point of 0, whatever
// that of the quantized values is.
void AverageRows(const uint8_t* quantized, int64_t rows, int64_t row_size,
                 int32_t zero_point, uint8_t* out, Parallel parallel);

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_ELEMENTWISE_AVERAGE_ROWS_H_
