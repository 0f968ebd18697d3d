#include "passes/kernels/channel_pattern.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ns::kernels {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

const std::vector<float> kScales = {0.5F, 0.25F, 2};
const std::vector<int32_t> kZeroPoints = {1, 7, 3};
const ChannelQParams kQParams = {kScales, kZeroPoints};

TEST(ChannelPatternTest, RepeatsARowWhileThereAreRows) {
  const ChannelPattern pattern = MakeChannelPattern({2, 2}, kQParams);
  EXPECT_THAT(pattern.scales, ElementsAre(0.5, 0.5, 0.25, 0.25, 2, 2, 0.5, 0.5,
                                          0.25, 0.25, 2, 2));
  EXPECT_THAT(pattern.zero_points,
              ElementsAre(1, 1, 7, 7, 3, 3, 1, 1, 7, 7, 3, 3));
}

// A pattern is long enough for vectors, and no longer.
TEST(ChannelPatternTest, HasWholeRows) {
  const ChannelPattern pattern = MakeChannelPattern({10000, 1}, kQParams);
  EXPECT_EQ(pattern.size() % 3, 0);
  EXPECT_GE(pattern.size(), 500);
  EXPECT_LE(pattern.size(), 512);
  EXPECT_EQ(MakeChannelPattern({10000, 700}, kQParams).size(), 3 * 700);
}

TEST(ChannelPatternTest, NothingHasNoPattern) {
  EXPECT_EQ(MakeChannelPattern({0, 2}, kQParams).size(), 0);
  EXPECT_EQ(MakeChannelPattern({3, 2}, {}).size(), 0);
}

TEST(ForRunsTest, GivesEachRunTheQParamsOfItsChannel) {
  std::vector<std::pair<int64_t, int32_t>> runs;
  ForRuns({2, 4}, kQParams, Serial, [&](int64_t begin, QParams qparams) {
    runs.emplace_back(begin, qparams.zero_point);
  });
  EXPECT_THAT(runs, ElementsAre(Pair(0, 1), Pair(4, 7), Pair(8, 3), Pair(12, 1),
                                Pair(16, 7), Pair(20, 3)));
}

TEST(ForPatternsTest, PiecesCoverAllElementsOnce) {
  std::vector<std::pair<int64_t, int64_t>> pieces;
  const auto collect = [&](int64_t begin, int64_t count) {
    pieces.emplace_back(begin, count);
  };
  ForPatterns(14, 6, Serial, collect);
  EXPECT_THAT(pieces, ElementsAre(Pair(0, 6), Pair(6, 6), Pair(12, 2)));
  ForPatterns(14, 0, Serial, collect);
  EXPECT_EQ(pieces.size(), 3);
}

}  // namespace
}  // namespace ns::kernels
