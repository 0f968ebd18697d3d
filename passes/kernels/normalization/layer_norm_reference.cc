#include <cmath>

#include "passes/kernels/normalization/layer_norm.h"
#include "passes/kernels/quantize_value.h"

namespace ns::kernels {

void LayerNormReference(const uint8_t* input, int64_t rows, int64_t n,
                        const NormalizationSpec& spec, uint8_t* out) {
  const auto count = static_cast<float>(n);
  const auto zero_point = static_cast<float>(spec.input_zero_point);
  const float multiplier = 1.0f / spec.output_scale;
  for (int64_t row = 0; row < rows; ++row, input += n, out += n) {
    int64_t sum = 0;
    int64_t sum_of_squares = 0;
    for (int64_t i = 0; i < n; ++i) {
      sum += input[i];
      sum_of_squares += input[i] * input[i];
    }
    const float mean = static_cast<float>(sum) / count;
    const float square = static_cast<float>(sum_of_squares) / count;
    const float difference = std::fma(-mean, mean, square);
    const float variance = difference > 0.0f ? difference : 0.0f;
    const float scaled = variance * spec.input_scale * spec.input_scale;
    const auto rstd = static_cast<float>(
        spec.input_scale / std::sqrt(static_cast<double>(scaled) + spec.eps));
    const float centre = mean - zero_point;
    for (int64_t i = 0; i < n; ++i) {
      const float x = (static_cast<float>(input[i]) - zero_point) - centre;
      const float y =
          std::fma(x * rstd, spec.weight == nullptr ? 1.0f : spec.weight[i],
                   spec.bias == nullptr ? 0.0f : spec.bias[i]);
      out[i] = QuantizeValue(y, multiplier, spec.output_zero_point);
    }
  }
}

}  // namespace ns::kernels
