#include "passes/lowering/kernels/elementwise/scale_channels.h"

#include <algorithm>
#include <vector>

#include "passes/lowering/kernels/elementwise/kernels.h"

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

void ScaleChannels(const uint8_t* codes, int64_t rows,
                   const ChannelScaling& scaling, uint8_t* out,
                   Parallel parallel) {
  const auto channels = static_cast<int64_t>(scaling.factors.size());
  if (channels == 0 || rows == 0) {
    return;
  }
  // Rows of few channels are taken several at a time.
  constexpr int64_t kEnough = 512;
  constexpr int64_t kGrain = 65536;
  const int64_t together =
      std::min(rows, std::max<int64_t>(1, kEnough / channels));
  const std::vector<float> factors = Repeated(scaling.factors, together);
  const std::vector<float> offsets = Repeated(scaling.offsets, together);
  const auto least =
      static_cast<uint8_t>(scaling.relu ? scaling.out_zero_point : 0);
  const auto scale_each = ChosenElementwiseKernels().scale_each;
  const int64_t size = together * channels;
  parallel((rows + together - 1) / together, kGrain / size + 1,
           [&](int64_t begin, int64_t end) {
             for (int64_t i = begin; i < end; ++i) {
               scale_each(codes + i * size,
                          std::min(size, rows * channels - i * size),
                          scaling.zero_point, factors.data(), offsets.data(),
                          scaling.out_zero_point, least, out + i * size);
             }
           });
}

}  // namespace ns::kernels
