// Lays out channels for the vectors of kernels that need, for sixteen output
// channels, the same sixteen input channels.
#ifndef PASSES_KERNELS_DEPTHWISE_LANE_BLOCKS_H_
#define PASSES_KERNELS_DEPTHWISE_LANE_BLOCKS_H_

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

namespace ns::kernels {

// A block is 64 bytes, one for each channel: four lanes of 16 bytes. Byte
// shuffles of a processor work within a lane.
constexpr int kLanes = 4;
constexpr int kLaneChannels = 16;
constexpr int kBlockChannels = kLanes * kLaneChannels;

// Which channels the four lanes of a block hold: lane i has `lane_channels`
// that follow each other, from first_channel[i] on.
//
// A contiguous block has 64 channels that follow each other. The last block may
// have fewer, and then needs `units` lanes for them: 1 for up to 16, 2 for up
// to 32, else 4. The other lanes have the same channels again, for further rows
// of the output: lane i is for row i / units. Where more than 16 channels do
// not fill the units, lanes begin earlier, and some channels are in two lanes
// or more (24 channels: 0..15 and 8..23); they are computed twice, with the
// same result.
struct LaneBlock {
  int64_t first_channel[kLanes];
  bool contiguous;
  int units;          // 1, 2 or 4
  int lane_channels;  // 16; the channels of a block that has fewer
  // For how many rows of the output the lanes are.
  int rows() const { return kLanes / units; }
};

// Divides the channels 0 to channels - 1 into blocks: contiguous ones, then one
// for the rest. No channel is in two blocks.
std::vector<LaneBlock> MakeLaneBlocks(int64_t channels);

// Calls function(block, lane, i, channel) for each channel of each lane; i
// counts from 0 in a lane. A channel that is in several lanes comes as often.
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

// Returns the place, 0 to 63, of a channel's sum in its block. The order is
// [chunk][lane][4 channels], in which chunk c has channels 4 c to 4 c + 3 of
// each lane: that is how vectors of bytes interleave without leaving their
// lane. Parameters of channels are in this order, too.
inline int64_t PlaceInChunks(int64_t lane, int64_t channel_of_lane) {
  return channel_of_lane / 4 * (kLanes * 4) + lane * 4 + channel_of_lane % 4;
}

// Memory, 64-byte aligned. That of AllocateBytes has any values.
struct FreeBytes {
  void operator()(int8_t* data) const { std::free(data); }
};
using AlignedBytes = std::unique_ptr<int8_t, FreeBytes>;
AlignedBytes AllocateBytes(int64_t size);
AlignedBytes AllocateZeros(int64_t size);

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_DEPTHWISE_LANE_BLOCKS_H_
