#include <cmath>

#include "passes/kernels/normalization/group_norm.h"
#include "passes/kernels/quantize_value.h"

namespace ns::kernels {

void GroupNormReference(const uint8_t* input, const GroupNormShape& shape,
                        const NormalizationSpec& spec, uint8_t* out) {
  const int64_t members = shape.channels / shape.groups;
  const auto count = static_cast<float>(members * shape.positions);
  const auto zero_point = static_cast<float>(spec.input_zero_point);
  for (int64_t group = 0; group < shape.images * shape.groups; ++group) {
    const int64_t image = group / shape.groups;
    const int64_t first = group % shape.groups * members;
    // The index of a quantized value of the group.
    const auto index = [&](int64_t member, int64_t position) {
      const int64_t channel = first + member;
      return shape.channels_last
                 ? (image * shape.positions + position) * shape.channels +
                       channel
                 : (image * shape.channels + channel) * shape.positions +
                       position;
    };
    int64_t sum = 0;
    int64_t sum_of_squares = 0;
    for (int64_t member = 0; member < members; ++member) {
      for (int64_t position = 0; position < shape.positions; ++position) {
        const int64_t quantized = input[index(member, position)];
        sum += quantized;
        sum_of_squares += quantized * quantized;
      }
    }
    const float mean = static_cast<float>(sum) / count;
    const float square = static_cast<float>(sum_of_squares) / count;
    const float difference = std::fma(-mean, mean, square);
    const float variance = difference > 0.0f ? difference : 0.0f;
    const float scaled = variance * spec.input_scale * spec.input_scale;
    const auto rstd = static_cast<float>(
        spec.input_scale / std::sqrt(static_cast<double>(scaled) + spec.eps));
    const float centre = mean - zero_point;
    for (int64_t member = 0; member < members; ++member) {
      const int64_t channel = first + member;
      const float weight = spec.weight == nullptr ? 1.0f : spec.weight[channel];
      const float bias = spec.bias == nullptr ? 0.0f : spec.bias[channel];
      for (int64_t position = 0; position < shape.positions; ++position) {
        const int64_t at = index(member, position);
        const float x = (static_cast<float>(input[at]) - zero_point) - centre;
        out[at] =
            QuantizeValue(std::fma(x, weight * rstd, bias),
                          1.0f / spec.output_scale, spec.output_zero_point);
      }
    }
  }
}

}  // namespace ns::kernels
