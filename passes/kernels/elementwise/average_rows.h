// Computes the averages of rows of quantized values.
#ifndef PASSES_KERNELS_ELEMENTWISE_AVERAGE_ROWS_H_
#define PASSES_KERNELS_ELEMENTWISE_AVERAGE_ROWS_H_

#include <cstdint>

#include "passes/kernels/parallel.h"

namespace ns::kernels {

// The largest `row_size` that AverageRows takes.
constexpr int64_t kMostAveragedValues = int64_t{1} << 23;

// Writes the average of each of `rows` rows to `out`. The rows lie in memory
// one after another, with `row_size` quint8 values each: at least 1, and at
// most kMostAveragedValues. Averages are rounded to nearest. A tie goes to the
// side where the distance from `zero_point` is even:
//   out[i] = zero_point +
//            nearbyint((float)sum_k (quantized[i][k] - zero_point) / row_size)
//
// LibTorch's qmean_inner_dim_kernel computes the same with a `zero_point` of 0,
// whatever the zero point of the quantized values is.
void AverageRows(const uint8_t* quantized, int64_t rows, int64_t row_size,
                 int32_t zero_point, uint8_t* out, Parallel parallel);

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_ELEMENTWISE_AVERAGE_ROWS_H_
