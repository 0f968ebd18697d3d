#include <algorithm>

#include "passes/kernels/gemm/gemm.h"

namespace ns::kernels {
namespace {

// The sum of one output, before zero points are corrected for.
int32_t SumOfProducts(const uint8_t* row, const int64_t* run_offsets,
                      const PackedMatrix& weights, int64_t output,
                      bool saturates) {
  constexpr int64_t kBlock = PackedMatrix::kPanel * PackedMatrix::kStep;
  const int8_t* column = weights.panel(output / PackedMatrix::kPanel) +
                         output % PackedMatrix::kPanel * PackedMatrix::kStep;
  // Unsigned: sums of s32 wrap around.
  uint32_t sum = 0;
  for (int64_t run = 0; run < weights.runs(); ++run) {
    const uint8_t* a = row + run_offsets[run];
    for (int64_t k = 0; k < weights.run_length(); k += 2) {
      const int8_t* b =
          column + k / PackedMatrix::kStep * kBlock + k % PackedMatrix::kStep;
      int32_t pair = a[k] * b[0];
      if (k + 1 < weights.run_length()) {
        pair += a[k + 1] * b[1];
      }
      sum += static_cast<uint32_t>(
          saturates ? std::min(std::max(pair, -32768), 32767) : pair);
    }
    column += weights.run_steps() * kBlock;
  }
  return static_cast<int32_t>(sum);
}

int32_t SumOfRow(const uint8_t* row, const int64_t* run_offsets,
                 const PackedMatrix& weights) {
  uint32_t sum = 0;
  for (int64_t run = 0; run < weights.runs(); ++run) {
    for (int64_t k = 0; k < weights.run_length(); ++k) {
      sum += row[run_offsets[run] + k];
    }
  }
  return static_cast<int32_t>(sum);
}

}  // namespace

void GemmRowsReference(const GemmRowsInput& input, const PackedMatrix& weights,
                       const OutputPlan& plan, int64_t n_begin, int64_t n_end,
                       SaturationMode mode, void* out, int64_t row_stride) {
  const OutputView view = ViewOutput(plan, 0);
  for (int64_t i = 0; i < input.count; ++i) {
    const uint8_t* row = input.rows[i];
    const int32_t row_sum = view.weight_zero_points == nullptr
                                ? 0
                                : SumOfRow(row, input.run_offsets, weights);
    for (int64_t n = n_begin; n < n_end; ++n) {
      const int32_t sum = SumOfProducts(row, input.run_offsets, weights, n,
                                        GemmSaturates(mode));
      WriteOutput(view, n, sum, row_sum, out, i * row_stride + n);
    }
  }
}

}  // namespace ns::kernels
