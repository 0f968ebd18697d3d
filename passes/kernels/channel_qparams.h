// Qparams for each channel of a tensor.
#ifndef PASSES_KERNELS_CHANNEL_QPARAMS_H_
#define PASSES_KERNELS_CHANNEL_QPARAMS_H_

#include <cstdint>

#include "absl/types/span.h"

namespace ns::kernels {

// One of each for every channel.
struct ChannelQParams {
  absl::Span<const float> scales;
  absl::Span<const int32_t> zero_points;
};

// A dense tensor around its axis of channels: [rows][channels][inner], of
// ChannelQParams::scales.size() channels.
struct ChannelShape {
  int64_t rows = 0;
  int64_t inner = 1;
};

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_CHANNEL_QPARAMS_H_
