#include "passes/kernels/elementwise/scale_channels.h"

#include <vector>

#include "passes/kernels/channel_pattern.h"
#include "passes/kernels/elementwise/kernels.h"

namespace ns::kernels {
namespace {

// `of_channels`, `times` times.
std::vector<float> Repeated(absl::Span<const float> of_channels,
                            int64_t times) {
  std::vector<float> all;
  all.reserve(of_channels.size() * times);
  for (int64_t i = 0; i < times; ++i) {
    all.insert(all.end(), of_channels.begin(), of_channels.end());
  }
  return all;
}

}  // namespace

void ScaleChannels(const uint8_t* quantized, int64_t rows,
                   const ChannelScaling& scaling, uint8_t* out,
                   Parallel parallel) {
  const auto channels = static_cast<int64_t>(scaling.factors.size());
  if (channels == 0 || rows == 0) {
    return;
  }
  const int64_t together = RowsOfPattern(rows, channels);
  const std::vector<float> factors = Repeated(scaling.factors, together);
  const std::vector<float> offsets = Repeated(scaling.offsets, together);
  const auto least =
      static_cast<uint8_t>(scaling.relu ? scaling.out_zero_point : 0);
  const auto scale_each = ChosenElementwiseKernels().scale_each;
  ForPatterns(rows * channels, together * channels, parallel,
              [&](int64_t begin, int64_t size) {
                scale_each(quantized + begin, size, scaling.zero_point,
                           factors.data(), offsets.data(),
                           scaling.out_zero_point, least, out + begin);
              });
}

}  // namespace ns::kernels
