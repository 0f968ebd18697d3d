#include "ns/suite/pooled_comparison.h"

#include <ATen/Functions.h>

#include <cmath>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

at::Tensor Of(double a, double b) {
  return at::tensor({static_cast<float>(a), static_cast<float>(b)});
}

TEST(PooledComparisonTest, HasNoResultBeforeABatchWasCompared) {
  PooledComparison pooled("fc");
  EXPECT_FALSE(pooled.Result().has_value());
  pooled.AddBatch({}, {});
  EXPECT_FALSE(pooled.Result().has_value());
  EXPECT_EQ(pooled.warning(), "");
}

TEST(PooledComparisonTest, PoolsSumsAndKeepsEachBatch) {
  PooledComparison pooled("fc");
  pooled.AddBatch({Of(10, 0)}, {Of(9, 0)});  // 20 dB
  pooled.AddBatch({Of(0, 1)}, {Of(0, 0)});   // 0 dB
  const auto result = pooled.Result();
  ASSERT_TRUE(result.has_value());
  EXPECT_THAT(result->shape, ElementsAre(2));
  ASSERT_EQ(result->batch_sqnr_db.size(), 2);
  EXPECT_NEAR(result->batch_sqnr_db[0], 20, 1e-6);
  EXPECT_NEAR(result->batch_sqnr_db[1], 0, 1e-6);
  EXPECT_NEAR(result->error.sqnr_db, 10 * std::log10(101.0 / 2), 1e-6);
  EXPECT_TRUE(result->trip_sqnr_db.empty());
}

TEST(PooledComparisonTest, ChannelsArePooledOverBatchesWhereTheyAreAskedFor) {
  PooledComparisonOptions options;
  options.channels = ChannelDim::kLast;
  for (const bool has_channels : {true, false}) {
    PooledComparison pooled("fc",
                            has_channels ? options : PooledComparisonOptions());
    pooled.AddBatch({Of(300, 1)}, {Of(300, 1)});
    pooled.AddBatch({Of(300, 1)}, {Of(303, 0)});
    const auto result = pooled.Result();
    EXPECT_EQ(result->channels.has_value(), has_channels);
    if (has_channels) {
      EXPECT_EQ(result->channels->channels, 2);
      EXPECT_EQ(result->channels->below_3db, 0);  // 3.01 dB
      EXPECT_NEAR(result->channels->median_sqnr_db, 10 * std::log10(2), 1e-5);
    }
  }
}

TEST(PooledComparisonTest, ZerosOnBothSidesAreExact) {
  PooledComparison pooled("mask", {/*in_loop=*/true});
  pooled.AddBatch({Of(0, 0)}, {Of(0, 0)});
  const auto result = pooled.Result();
  EXPECT_EQ(result->error.sqnr_db, INFINITY);
  EXPECT_EQ(result->error.normalized_l2, 0);
  EXPECT_EQ(result->error.cosine, 1);
  EXPECT_EQ(result->error.max_abs_error, 0);
  EXPECT_THAT(result->batch_sqnr_db, ElementsAre(INFINITY));
  EXPECT_THAT(result->trip_sqnr_db, ElementsAre(INFINITY));
}

TEST(PooledComparisonTest, CallsInALoopAreTrips) {
  PooledComparison pooled("fc", {/*in_loop=*/true});
  for (int batch = 0; batch < 2; ++batch) {
    pooled.AddBatch({Of(10, 0), Of(1, 0)}, {Of(9, 0), Of(1, 0)});
  }
  const auto result = pooled.Result();
  ASSERT_EQ(result->trip_sqnr_db.size(), 2);
  EXPECT_NEAR(result->trip_sqnr_db[0], 20, 1e-6);
  EXPECT_TRUE(std::isinf(result->trip_sqnr_db[1]));
}

TEST(PooledComparisonTest, ComparesCommonCallsAndWarns) {
  PooledComparison pooled("fc");
  pooled.AddBatch({Of(10, 0), Of(1, 1)}, {Of(9, 0)});
  EXPECT_NEAR(pooled.Result()->error.sqnr_db, 20, 1e-6);
  EXPECT_THAT(pooled.warning(), HasSubstr("fc: the models came by 2 and 1"));
}

TEST(PooledComparisonTest, LeavesOutWhatCannotBeCompared) {
  PooledComparison pooled("fc");
  pooled.AddBatch({at::ones({2})}, {at::ones({3})});
  EXPECT_FALSE(pooled.Result().has_value());
  EXPECT_THAT(pooled.warning(), HasSubstr("shapes differ, [2] and [3]"));
}

TEST(PooledComparisonTest, IntegersAreLeftOutWhereTheyAreNotAskedFor) {
  const at::Tensor lengths = at::ones({2}, at::kLong);
  PooledComparison all("rnn");
  all.AddBatch({lengths}, {lengths + 1});
  EXPECT_TRUE(all.Result().has_value());
  PooledComparison others("rnn (1)", {/*in_loop=*/false, /*integers=*/false});
  others.AddBatch({lengths}, {lengths + 1});
  EXPECT_FALSE(others.Result().has_value());
  others.AddBatch({at::ones({2})}, {at::ones({2})});
  EXPECT_TRUE(others.Result().has_value());
}

}  // namespace
}  // namespace ns
