#include "ns/findings/recurrent_state.h"

#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/ns/report/table_results.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Optional;

// A layer in a loop whose trips have these SQNRs.
LayerComparison WithTrips(std::vector<double> trips) {
  LayerComparison layer = Broken("add", 20, 35, 20);
  layer.activation->trip_sqnr_db = std::move(trips);
  return layer;
}

bool Grows(std::vector<double> trips) {
  return GrowsOverSteps(WithShadows({WithTrips(std::move(trips))}), 0);
}

// Calls of one module with these accumulated SQNRs.
ComparisonResult Calls(const std::vector<double>& sqnr_db) {
  std::vector<LayerComparison> layers = {Broken("stem", 50, 50, 60)};
  for (const double db : sqnr_db) {
    layers.push_back(Broken("cell", db, 38, db));
    layers.back().quantized_side.fqn = "cell";
    layers.back().weights = {{"weight", {1}, Error(45)}};
  }
  return WithShadows(std::move(layers));
}

TEST(RecurrentStateTest, AnErrorGrowsFromTheFirstStepToTheLast) {
  EXPECT_TRUE(Grows({32, 20, 25, 14}));
  EXPECT_FALSE(Grows({32, 14, 25}));
  EXPECT_FALSE(Grows({14, 20, 30}));
}

TEST(RecurrentStateTest, WithoutStepsNothingGrows) {
  EXPECT_FALSE(Grows({}));
  EXPECT_FALSE(Grows({32, 14}));
  EXPECT_FALSE(Grows({kInfinity, 20, 14}));
  EXPECT_FALSE(Grows({32, 20, kNan}));
  EXPECT_FALSE(GrowsOverSteps(WithShadows({Layer("fc", {})}), 0));
}

TEST(RecurrentStateTest, CallsOfAModuleAreSteps) {
  const ComparisonResult result = Calls({36, 30, 24, 17});
  EXPECT_THAT(StepsOf(result, 2), ElementsAre(36, 30, 24, 17));
  EXPECT_THAT(StepsOf(result, 0), IsEmpty());
  EXPECT_TRUE(GrowsOverSteps(result, 2));
  EXPECT_THAT(WorstState(result), Optional(1));
}

TEST(RecurrentStateTest, AStateThatTheOutputsDoNotShowIsNone) {
  ComparisonResult result = Calls({36, 30, 24, -80});
  result.model_outputs.push_back({"output", "", "", Figures(40)});
  EXPECT_FALSE(WorstState(result).has_value());
  result.model_outputs.push_back({"state", "", "", Figures(2)});
  EXPECT_THAT(WorstState(result), Optional(1));
}

TEST(RecurrentStateTest, LayersWithoutAModuleAreNoCallsOfOne) {
  ComparisonResult result = Calls({36, 30, 24, 17});
  for (LayerComparison& layer : result.layers) {
    layer.quantized_side.fqn.clear();
  }
  EXPECT_FALSE(WorstState(result).has_value());
  // One FloatFunctional for several sums hands nothing on.
  result = Calls({36, 30, 24, 17});
  for (LayerComparison& layer : result.layers) {
    layer.weights.clear();
  }
  EXPECT_FALSE(WorstState(result).has_value());
}

TEST(RecurrentStateTest, TheWorstStateEndsLowest) {
  EXPECT_THAT(
      WorstState(WithShadows({WithTrips({40, 25, 18}), WithTrips({30, 25, 12}),
                              Layer("fc", 5), WithTrips({14, 13, 11})})),
      Optional(1));
  EXPECT_FALSE(WorstState(WithShadows({WithTrips({50, 40, 25})})).has_value());
}

}  // namespace
}  // namespace ns
