// Lays out channels for the vectors of kernels that need, for sixteen output
// channels, the same sixteen input channels.
#ifndef PASSES_KERNELS_DEPTHWISE_LANE_BLOCKS_H_
#define PASSES_KERNELS_DEPTHWISE_LANE_BLOCKS_H_

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

namespace ns::kernels {

// Lanes are the 16 bytes of a vector that its shuffles do not leave.
constexpr int kLanes = 4;
constexpr int kLaneChannels = 16;
constexpr int kBlockChannels = kLanes * kLaneChannels;

// Which channels the four lanes of a vector have, 16 that follow each other in
// each. When `contiguous`, 64 that do. Otherwise the first `units` lanes are of
// one row of outputs, the next `units` of another, and so on: few channels fill
// a vector, too. Where channels do not fill the units, lanes have some in
// common.
struct LaneBlock {
  int64_t first_channel[kLanes];
  bool contiguous;
  int units;          // 1, 2 or 4
  int lane_channels;  // below 16 only for one unit
  int rows() const { return kLanes / units; }
};

// Blocks of `channels` channels: contiguous ones, and one for the rest. What
// lanes of a block have in common, other blocks have not.
std::vector<LaneBlock> MakeLaneBlocks(int64_t channels);

// Calls function(block, lane, channel of the lane, channel) for all there are;
// what lanes have in common, for each.
template <typename Function>
void ForEachLaneChannel(const std::vector<LaneBlock>& blocks,
                        Function function) {
  for (size_t block = 0; block < blocks.size(); ++block) {
    for (int64_t lane = 0; lane < kLanes; ++lane) {
      for (int64_t i = 0; i < blocks[block].lane_channels; ++i) {
        function(static_cast<int64_t>(block), lane, i,
                 blocks[block].first_channel[lane] + i);
      }
    }
  }
}

// The sums of a block are four chunks of four channels of each lane: that is
// how vectors of bytes interleave without leaving their lane. Parameters of
// channels are in this order, [chunk][lane][4 channels]:
inline int64_t PlaceInChunks(int64_t lane, int64_t channel_of_lane) {
  return channel_of_lane / 4 * (kLanes * 4) + lane * 4 + channel_of_lane % 4;
}

// Memory, 64-byte aligned.
struct FreeBytes {
  void operator()(int8_t* data) const { std::free(data); }
};
using AlignedBytes = std::unique_ptr<int8_t, FreeBytes>;
AlignedBytes AllocateBytes(int64_t size);
AlignedBytes AllocateZeros(int64_t size);

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_DEPTHWISE_LANE_BLOCKS_H_
