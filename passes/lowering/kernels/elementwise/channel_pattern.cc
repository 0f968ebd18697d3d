#include "passes/lowering/kernels/elementwise/channel_pattern.h"

namespace ns::kernels {

ChannelPattern MakeChannelPattern(ChannelShape shape, ChannelQParams qparams) {
  constexpr int64_t kEnough = 1024;
  const int64_t channels = static_cast<int64_t>(qparams.scales.size());
  const int64_t row = channels * shape.inner;
  ChannelPattern pattern;
  if (row == 0 || shape.rows == 0) {
    return pattern;
  }
  const int64_t rows =
      std::min(shape.rows, std::max<int64_t>(1, kEnough / row));
  for (int64_t i = 0; i < rows * row; ++i) {
    const int64_t channel = i / shape.inner % channels;
    pattern.scales.push_back(qparams.scales[channel]);
    pattern.zero_points.push_back(qparams.zero_points[channel]);
  }
  return pattern;
}

}  // namespace ns::kernels
