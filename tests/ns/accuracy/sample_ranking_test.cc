#include "ns/accuracy/sample_ranking.h"

#include <ATen/ATen.h>

#include <limits>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

at::Tensor Scores(const std::vector<float>& scores) {
  return at::tensor(scores).reshape({-1, 2});
}

TEST(SampleRankingTest, FindsSamplesThatFlipOverAllBatches) {
  SampleRanking ranking;
  NS_ASSERT_OK(ranking.Add(2, Scores({1, 0, 0, 1}), Scores({0, 1, 0, 1})));
  NS_ASSERT_OK(ranking.Add(1, Scores({1, 0}), Scores({1, 2})));
  EXPECT_THAT(OrThrow(ranking.Flipped()), ElementsAre(0, 2));
}

TEST(SampleRankingTest, FindsTheSamplesWithTheLowestSqnr) {
  SampleRanking ranking;
  // Exact, an error of a tenth, nan.
  const float nan = std::numeric_limits<float>::quiet_NaN();
  NS_ASSERT_OK(ranking.Add(3, Scores({1, 0, 1, 0, 1, 0}),
                           Scores({1, 0, 1, 0.1F, 1, nan})));
  // An error of a half; zeros that stay, and zeros that do not.
  NS_ASSERT_OK(
      ranking.Add(3, Scores({2, 0, 0, 0, 0, 0}), Scores({3, 0, 0, 0, 0, 1})));
  EXPECT_THAT(ranking.Worst(1), ElementsAre(2));
  EXPECT_THAT(ranking.Worst(2), ElementsAre(2, 5));
  EXPECT_THAT(ranking.Worst(3), ElementsAre(2, 3, 5));
  EXPECT_THAT(ranking.Worst(4), ElementsAre(1, 2, 3, 5));
  // Of equal ones the earlier.
  EXPECT_THAT(ranking.Worst(5), ElementsAre(0, 1, 2, 3, 5));
  EXPECT_THAT(ranking.Worst(99), ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(SampleRankingTest, SqnrIsOfOutputsOfAnyRank) {
  SampleRanking ranking;
  at::Tensor y = at::ones({3, 2, 4, 4});
  y[1][0][0][0] = 2;
  NS_ASSERT_OK(ranking.Add(3, at::ones({3, 2, 4, 4}), y));
  EXPECT_THAT(ranking.Worst(1), ElementsAre(1));
  EXPECT_THAT(MessageOf(ranking.Flipped()),
              HasSubstr("the models return [3, 2, 4, 4], and samples that flip "
                        "need scores [samples, classes]"));
}

TEST(SampleRankingTest, EachSampleHasAnEntry) {
  const auto error = [](int64_t samples, const c10::IValue& of_float,
                        const c10::IValue& of_quantized) {
    return std::string(
        SampleRanking().Add(samples, of_float, of_quantized).message());
  };
  EXPECT_THAT(error(3, at::ones({2, 2}), at::ones({2, 2})),
              AllOf(HasSubstr("the float model returns [2, 2]"),
                    HasSubstr("an entry for each of 3")));
  EXPECT_THAT(error(2, at::ones({2, 2}), at::ones({2, 3})),
              HasSubstr("the quantized one [2, 3]"));
  EXPECT_THAT(error(1, at::ones({}), at::ones({})), HasSubstr("returns []"));
  EXPECT_THAT(error(1, at::zeros({1}, at::kLong), at::ones({1})),
              HasSubstr("returns no tensor of floats"));
}

TEST(SampleRankingTest, ThereMayBeNoSamples) {
  SampleRanking ranking;
  NS_ASSERT_OK(ranking.Add(0, at::zeros({0, 2}), at::zeros({0, 2})));
  EXPECT_THAT(OrThrow(ranking.Flipped()), IsEmpty());
  EXPECT_THAT(ranking.Worst(3), IsEmpty());
}

}  // namespace
}  // namespace ns
