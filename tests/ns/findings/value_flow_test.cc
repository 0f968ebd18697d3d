#include "ns/findings/value_flow.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/ns/report/table_results.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ValueFlowTest, ViewsGiveWayToWhatReadsThem) {
  const ComparisonResult result = WithShadows(
      {Broken("norm", 40, 40, 50), Broken("view", 40, kInfinity, 40, {0}),
       Broken("fc", 35, 40, 38, {1}), Broken("add", 35, 40, 38, {0, 2})});
  EXPECT_THAT(ReadersOf(result, 0), ElementsAre(2, 3));
  EXPECT_THAT(ReadersOf(result, 2), ElementsAre(3));
  EXPECT_THAT(ReadersOf(result, 3), IsEmpty());
}

TEST(ValueFlowTest, VisitsEachReaderOnceAndGoesOnAsAsked) {
  const ComparisonResult result = WithShadows(
      {Broken("a", 40, 40, 50), Broken("b", 40, 40, 50, {0}),
       Broken("c", 40, 40, 50, {0}), Broken("d", 40, 40, 50, {1, 2}),
       Broken("e", 40, 40, 50, {3}), Broken("f", 40, 40, 50)});
  std::vector<size_t> visited;
  VisitReaders(result, 0, [&](size_t reader) {
    visited.push_back(reader);
    return reader != 3;
  });
  EXPECT_THAT(visited, ElementsAre(1, 2, 3));
}

TEST(ValueFlowTest, FlowsFromProducersAlongTheStepsThatGoOn) {
  const ComparisonResult result =
      WithShadows({Broken("a", 40, 40, 50), Broken("b", 40, 40, 50, {0}),
                   Broken("c", 40, 40, 50), Broken("d", 40, 40, 50, {1, 2})});
  EXPECT_THAT(FlowsInto(result, 3, [](size_t, size_t) { return true; }),
              ElementsAre(true, true, true, true));
  EXPECT_THAT(FlowsInto(result, 1, [](size_t, size_t) { return true; }),
              ElementsAre(true, true, false, false));
  EXPECT_THAT(FlowsInto(result, 3,
                        [](size_t reader, size_t producer) {
                          return reader == 3 && producer == 1;
                        }),
              ElementsAre(false, true, false, true));
}

// The state of a loop flows back to a layer in front.
TEST(ValueFlowTest, EndsInALoop) {
  const ComparisonResult result =
      WithShadows({Broken("a", 40, 40, 50, {1}), Broken("b", 40, 40, 50, {0})});
  EXPECT_THAT(FlowsInto(result, 0, [](size_t, size_t) { return true; }),
              ElementsAre(true, true));
  EXPECT_THAT(ReadersOf(result, 0), ElementsAre(1));
}

// An exact layer with a weight computes.
TEST(ValueFlowTest, ExactLayersWithAWeightAreReaders) {
  LayerComparison embedding = Broken("norm", 40, kInfinity, 40, {0});
  embedding.weights.push_back({"weight", {1}, Error(kInfinity)});
  EXPECT_THAT(ReadersOf(WithShadows({Broken("a", 40, 40, 50), embedding}), 0),
              ElementsAre(1));
}

}  // namespace
}  // namespace ns
