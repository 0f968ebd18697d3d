#include "passes/kernels/depthwise/lane_blocks.h"

#include <algorithm>
#include <cstring>

namespace ns::kernels {

std::vector<LaneBlock> MakeLaneBlocks(int64_t channels) {
  std::vector<LaneBlock> blocks;
  for (int64_t first = 0; first < channels; first += kBlockChannels) {
    const int64_t left = channels - first;
    LaneBlock block;
    block.contiguous = left >= kBlockChannels;
    block.units = left <= kLaneChannels ? 1 : left <= 2 * kLaneChannels ? 2 : 4;
    block.lane_channels =
        static_cast<int>(std::min<int64_t>(left, kLaneChannels));
    for (int lane = 0; lane < kLanes; ++lane) {
      block.first_channel[lane] =
          first + std::min<int64_t>(lane % block.units * kLaneChannels,
                                    std::max<int64_t>(left - kLaneChannels, 0));
    }
    blocks.push_back(block);
  }
  return blocks;
}

AlignedBytes AllocateBytes(int64_t size) {
  const int64_t rounded = (size + 63) / 64 * 64;
  return AlignedBytes(static_cast<int8_t*>(std::aligned_alloc(64, rounded)));
}

AlignedBytes AllocateZeros(int64_t size) {
  AlignedBytes bytes = AllocateBytes(size);
  std::memset(bytes.get(), 0, size);
  return bytes;
}

}  // namespace ns::kernels
