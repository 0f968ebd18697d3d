#include "passes/kernels/channel_pattern.h"

namespace ns::kernels {

ChannelPattern MakeChannelPattern(ChannelShape shape, ChannelQParams qparams) {
  const int64_t channels = static_cast<int64_t>(qparams.scales.size());
  const int64_t row = channels * shape.inner;
  if (row == 0 || shape.rows == 0) {
    return {};
  }
  const int64_t size = row * RowsOfPattern(shape.rows, row);
  ChannelPattern pattern{std::vector<float>(size), std::vector<int32_t>(size)};
  for (int64_t channel = 0; channel < channels; ++channel) {
    for (int64_t i = 0; i < shape.inner; ++i) {
      pattern.scales[channel * shape.inner + i] = qparams.scales[channel];
      pattern.zero_points[channel * shape.inner + i] =
          qparams.zero_points[channel];
    }
  }
  for (int64_t begin = row; begin < size; begin += row) {
    std::copy_n(pattern.scales.begin(), row, pattern.scales.begin() + begin);
    std::copy_n(pattern.zero_points.begin(), row,
                pattern.zero_points.begin() + begin);
  }
  return pattern;
}

}  // namespace ns::kernels
