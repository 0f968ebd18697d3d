#include "passes/lowering/kernels/normalization/layer_norm.h"

#include <algorithm>
#include <cmath>

#include "passes/lowering/kernels/isa.h"
#include "passes/lowering/kernels/normalization/layer_norm_kernels.h"

namespace ns::kernels {
namespace {

Normalization NormalizationOf(const CodeSums& sums, int64_t n,
                              const LayerNormSpec& spec) {
  const auto count = static_cast<float>(n);
  const auto zero_point = static_cast<float>(spec.input_zero_point);
  const float mean = static_cast<float>(sums.sum) / count;
  const float square = static_cast<float>(sums.sum_of_squares) / count;
  const float difference = std::fma(-mean, mean, square);
  const float variance = difference > 0.0f ? difference : 0.0f;
  const float scaled = variance * spec.input_scale * spec.input_scale;
  // Codes less their zero point are exact, so is the zero point on top of
  // mean - zero_point, once that is rounded: one subtraction gives the same as
  // two.
  const float rounded_mean = (mean - zero_point) + zero_point;
  return {rounded_mean,
          static_cast<float>(spec.input_scale /
                             std::sqrt(static_cast<double>(scaled) + spec.eps)),
          spec.weight,
          spec.bias,
          1.0f / spec.output_scale,
          spec.output_zero_point};
}

}  // namespace

void LayerNorm(const uint8_t* input, int64_t rows, int64_t n,
               const LayerNormSpec& spec, uint8_t* out, Parallel parallel) {
  const Isa isa = ChosenIsa();
  if (isa == Isa::kScalar) {
    LayerNormReference(input, rows, n, spec, out);
    return;
  }
  const auto sum = isa >= Isa::kAvx512 ? SumCodesAvx512 : SumCodesAvx2;
  const auto normalize = isa >= Isa::kAvx512 ? NormalizeAvx512 : NormalizeAvx2;
  // Waking a thread is worth some 16,000 codes.
  const int64_t grain = 1 + (1 << 14) / std::max<int64_t>(n, 1);
  parallel(rows, grain, [&](int64_t begin, int64_t end) {
    const auto normalization = [&](int64_t row) {
      return NormalizationOf(sum(input + row * n, n), n, spec);
    };
    if (begin == end) {
      return;
    }
    // A row ahead: its divisions take as long as many codes, and are not
    // waited for.
    Normalization next = normalization(begin);
    for (int64_t row = begin; row < end; ++row) {
      const Normalization by = next;
      if (row + 1 < end) {
        next = normalization(row + 1);
      }
      normalize(input + row * n, n, by, out + row * n);
    }
  });
}

}  // namespace ns::kernels
