#include "passes/kernels/depthwise/lane_blocks.h"

#include <cstdint>
#include <set>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ns::kernels {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::SizeIs;

TEST(LaneBlocksTest, AllButTheLastBlockAreContiguous) {
  for (int64_t channels = 1; channels <= 260; ++channels) {
    const std::vector<LaneBlock> blocks = MakeLaneBlocks(channels);
    ASSERT_EQ(static_cast<int64_t>(blocks.size()),
              (channels + kBlockChannels - 1) / kBlockChannels);
    for (size_t i = 0; i < blocks.size(); ++i) {
      const bool is_full = channels % kBlockChannels == 0;
      EXPECT_EQ(blocks[i].contiguous, i + 1 < blocks.size() || is_full);
      if (blocks[i].contiguous) {
        const int64_t first = static_cast<int64_t>(i) * kBlockChannels;
        EXPECT_THAT(blocks[i].first_channel,
                    ElementsAre(first, first + 16, first + 32, first + 48));
      }
    }
  }
}

// Of each row of the output, every channel is in some lane.
TEST(LaneBlocksTest, EachRowHasAllChannelsAndNoBlockHasThoseOfAnother) {
  for (int64_t channels = 1; channels <= 260; ++channels) {
    const std::vector<LaneBlock> blocks = MakeLaneBlocks(channels);
    std::set<int64_t> seen;
    for (const LaneBlock& block : blocks) {
      std::vector<std::set<int64_t>> by_row(block.rows());
      for (int lane = 0; lane < kLanes; ++lane) {
        for (int i = 0; i < block.lane_channels; ++i) {
          by_row[lane / block.units].insert(block.first_channel[lane] + i);
        }
      }
      EXPECT_THAT(by_row, Each(by_row.front()));
      for (const int64_t channel : by_row.front()) {
        EXPECT_TRUE(seen.insert(channel).second) << channel;
      }
    }
    EXPECT_THAT(seen, SizeIs(channels));
    EXPECT_EQ(*seen.begin(), 0);
    EXPECT_EQ(*seen.rbegin(), channels - 1);
  }
}

TEST(LaneBlocksTest, FewChannelsLeaveLanesForMoreRows) {
  const auto last = [](int64_t channels) {
    return MakeLaneBlocks(channels).back();
  };
  EXPECT_EQ(last(5).rows(), 4);
  EXPECT_EQ(last(5).lane_channels, 5);
  EXPECT_EQ(last(16).rows(), 4);
  EXPECT_EQ(last(24).rows(), 2);
  EXPECT_EQ(last(24).lane_channels, 16);
  // 0 to 15, and 8 to 23, for two rows.
  EXPECT_THAT(last(24).first_channel, ElementsAre(0, 8, 0, 8));
  EXPECT_EQ(last(33).rows(), 1);
}

TEST(LaneBlocksTest, SumsHaveAPlaceEach) {
  std::set<int64_t> places;
  for (int64_t lane = 0; lane < kLanes; ++lane) {
    for (int64_t channel = 0; channel < kLaneChannels; ++channel) {
      places.insert(PlaceInChunks(lane, channel));
    }
  }
  EXPECT_THAT(places, SizeIs(kBlockChannels));
  EXPECT_EQ(*places.rbegin(), kBlockChannels - 1);
  EXPECT_EQ(PlaceInChunks(2, 5), 16 + 2 * 4 + 1);
}

TEST(LaneBlocksTest, EachChannelOfEachLaneIsVisited) {
  std::vector<std::vector<int64_t>> visits;
  ForEachLaneChannel(MakeLaneBlocks(2),
                     [&](int64_t block, int64_t lane, int64_t i, int64_t c) {
                       visits.push_back({block, lane, i, c});
                     });
  ASSERT_THAT(visits, SizeIs(8));
  EXPECT_THAT(visits[3], ElementsAre(0, 1, 1, 1));
}

TEST(LaneBlocksTest, MemoryIsAligned) {
  const AlignedBytes zeros = AllocateZeros(70);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(zeros.get()) % 64, 0U);
  EXPECT_THAT(std::vector<int8_t>(zeros.get(), zeros.get() + 70), Each(0));
}

}  // namespace
}  // namespace ns::kernels
