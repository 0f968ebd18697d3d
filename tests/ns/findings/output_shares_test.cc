#include "ns/findings/output_shares.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/ns/report/table_results.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A result whose layers have these shares.
ComparisonResult WithShares(const std::vector<double>& shares) {
  std::vector<LayerComparison> layers;
  for (const double share : shares) {
    layers.push_back(Broken(absl::StrCat("fc", layers.size()), 30, 30, 30));
    layers.back().output_share = share;
  }
  return WithShadows(std::move(layers));
}

TEST(OutputSharesTest, TheirSumIsWhatTheyExplain) {
  EXPECT_EQ(ExplainedShare(WithShares({0.5, 0.25, -0.125})), 0.625);
  ComparisonResult result = WithShares({0.5});
  result.layers.push_back(Broken("exact", kInfinity, kInfinity, kInfinity));
  EXPECT_EQ(ExplainedShare(result), 0.5);
  result.layers[0].output_share.reset();
  EXPECT_FALSE(ExplainedShare(result).has_value());
}

TEST(OutputSharesTest, TheyHoldWhereTheyExplainTheErrorWithin3Db) {
  EXPECT_TRUE(SharesHold(WithShares({0.5, 0.5})));
  EXPECT_TRUE(SharesHold(WithShares({0.5})));
  EXPECT_FALSE(SharesHold(WithShares({0.4})));
  EXPECT_TRUE(SharesHold(WithShares({1.9})));
  EXPECT_FALSE(SharesHold(WithShares({2.1})));
  EXPECT_FALSE(SharesHold(WithShares({})));
}

TEST(OutputSharesTest, TheyDoNotHoldWhereLargeErrorsCancel) {
  EXPECT_TRUE(SharesHold(WithShares({1.25, -0.25})));
  EXPECT_FALSE(SharesHold(WithShares({6, -5})));
}

TEST(OutputSharesTest, LayersAreRankedByThem) {
  EXPECT_THAT(LayersByShare(WithShares({0.1, 0.5, -0.2, 0.1, 0, 0.3})),
              ElementsAre(1, 5, 0, 3));
  EXPECT_THAT(LayersByShare(WithShares({0, -1})), IsEmpty());
}

TEST(OutputSharesTest, LayersWithinATenthAreToBlameNoLess) {
  EXPECT_THAT(LayersLike(WithShares({0.37, 0.4, 0.2}), 1), ElementsAre(1, 0));
  EXPECT_THAT(LayersLike(WithShares({0.35, 0.4, 0.2}), 1), ElementsAre(1));
  // A layer that is blamed for another reason stands alone.
  EXPECT_THAT(LayersLike(WithShares({0, 0.6, 0.4}), 0), ElementsAre(0));
  EXPECT_THAT(LayersLike(WithShares({0.2, 0.6, 0.4}), 2), ElementsAre(2));
}

}  // namespace
}  // namespace ns
