#include "passes/runtime/loggers/channel_dim.h"

#include <cstdint>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ns {
namespace {

using ::testing::ElementsAre;

// The dimension in tensors of 0 to 5 dimensions; -1 for none.
std::vector<int64_t> ByDims(ChannelDim channels) {
  std::vector<int64_t> found;
  for (int64_t dims = 0; dims <= 5; ++dims) {
    const int64_t dim = ChannelDimIn(channels, dims);
    EXPECT_LT(dim, dims);
    found.push_back(dim < 0 ? -1 : dim);
  }
  return found;
}

TEST(ChannelDimTest, NoChannelsUnlessAsked) {
  EXPECT_THAT(ByDims(ChannelDim::kNone), ElementsAre(-1, -1, -1, -1, -1, -1));
}

TEST(ChannelDimTest, NormsHaveThemSecondAndLinearLayersLast) {
  EXPECT_THAT(ByDims(ChannelDim::kSecond), ElementsAre(-1, -1, 1, 1, 1, 1));
  EXPECT_THAT(ByDims(ChannelDim::kLast), ElementsAre(-1, 0, 1, 2, 3, 4));
}

TEST(ChannelDimTest, TheRankTellsWhereElsewhere) {
  EXPECT_THAT(ByDims(ChannelDim::kByRank), ElementsAre(-1, 0, 1, 2, 1, 1));
}

// One sample has them first, a batch second.
TEST(ChannelDimTest, ConvolutionsHaveThemInFrontOfTheWindow) {
  EXPECT_THAT(ByDims(ChannelDim::kSecondLast), ElementsAre(-1, -1, 0, 1, 2, 3));
  EXPECT_THAT(ByDims(ChannelDim::kThirdLast), ElementsAre(-1, -1, -1, 0, 1, 2));
  EXPECT_THAT(ByDims(ChannelDim::kFourthLast),
              ElementsAre(-1, -1, -1, -1, 0, 1));
}

TEST(ChannelDimTest, NearAConvolutionOneSampleHasThemFirst) {
  EXPECT_THAT(ByDims(ChannelDim::kNearConv1d), ElementsAre(-1, 0, 0, 1, 1, 1));
  EXPECT_THAT(ByDims(ChannelDim::kNearConv2d), ElementsAre(-1, 0, 1, 0, 1, 1));
  EXPECT_THAT(ByDims(ChannelDim::kNearConv3d), ElementsAre(-1, 0, 1, 2, 0, 1));
}

}  // namespace
}  // namespace ns
