#include "ns/findings/readers.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/ns/report/table_results.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ReadersTest, ViewsGiveWayToWhatReadsThem) {
  const ComparisonResult result = WithShadows(
      {Broken("norm", 40, 40, 50), Broken("view", 40, kInfinity, 40, {0}),
       Broken("fc", 35, 40, 38, {1}), Broken("add", 35, 40, 38, {0, 2})});
  EXPECT_THAT(ReadersOf(result, 0), ElementsAre(2, 3));
  EXPECT_THAT(ReadersOf(result, 2), ElementsAre(3));
  EXPECT_THAT(ReadersOf(result, 3), IsEmpty());
}

// An exact layer with a weight computes.
TEST(ReadersTest, ExactLayersWithAWeightAreReaders) {
  LayerComparison embedding = Broken("norm", 40, kInfinity, 40, {0});
  embedding.weights.push_back({"weight", {1}, Error(kInfinity)});
  EXPECT_THAT(ReadersOf(WithShadows({Broken("a", 40, 40, 50), embedding}), 0),
              ElementsAre(1));
}

}  // namespace
}  // namespace ns
