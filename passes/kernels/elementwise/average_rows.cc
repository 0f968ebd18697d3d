#include "passes/kernels/elementwise/average_rows.h"

#include <algorithm>
#include <cmath>

#include "passes/kernels/elementwise/kernels.h"

namespace ns::kernels {

void AverageRows(const uint8_t* quantized, int64_t rows, int64_t row_size,
                 int32_t zero_point, uint8_t* out, Parallel parallel) {
  // Worth another thread.
  constexpr int64_t kGrainValues = 1 << 16;
  const auto sum = ChosenElementwiseKernels().sum;
  const int64_t zero_points = row_size * zero_point;
  parallel(rows, std::max<int64_t>(kGrainValues / row_size, 1),
           [&](int64_t begin, int64_t end) {
             for (int64_t i = begin; i < end; ++i) {
               const int64_t steps =
                   sum(quantized + i * row_size, row_size) - zero_points;
               const float average =
                   static_cast<float>(steps) / static_cast<float>(row_size);
               out[i] = static_cast<uint8_t>(
                   zero_point + static_cast<int32_t>(std::nearbyint(average)));
             }
           });
}

}  // namespace ns::kernels
