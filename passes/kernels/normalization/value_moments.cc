#include "passes/kernels/normalization/value_moments.h"

#include <cmath>

namespace ns::kernels {

ValueMoments MomentsOf(const ValueSums& sums, int64_t n,
                       const NormalizationSpec& spec) {
  const auto count = static_cast<float>(n);
  const auto zero_point = static_cast<float>(spec.input_zero_point);
  const float scale = spec.input_scale;
  const float mean = static_cast<float>(sums.sum) / count;
  const float square = static_cast<float>(sums.sum_of_squares) / count;
  const float difference = std::fma(-mean, mean, square);
  const float variance = difference > 0.0f ? difference : 0.0f;
  const float scaled = variance * scale * scale;
  // Quantized values less their zero point are exact, so is the zero point on
  // top of mean - zero_point, once that is rounded: one subtraction gives the
  // same as two.
  return {(mean - zero_point) + zero_point,
          static_cast<float>(
              scale / std::sqrt(static_cast<double>(scaled) + spec.eps))};
}

}  // namespace ns::kernels
