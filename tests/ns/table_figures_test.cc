#include "ns/table_figures.h"

#include <cmath>
#include <optional>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/comparison_result.h"

namespace ns {
namespace {

using ::testing::IsEmpty;
using ::testing::Optional;

ErrorFigures Error(double sqnr_db, double max_abs_error) {
  ErrorFigures error;
  error.sqnr_db = sqnr_db;
  error.max_abs_error = max_abs_error;
  return error;
}

TEST(TableFiguresTest, ZerosOnBothSidesAreShownAsEqual) {
  EXPECT_EQ(ShownDb(Error(NAN, 0)), INFINITY);
}

TEST(TableFiguresTest, NanAndOtherFiguresAreShownAsTheyAre) {
  EXPECT_TRUE(std::isnan(ShownDb(Error(NAN, NAN))));
  EXPECT_TRUE(std::isnan(ShownDb(Error(NAN, INFINITY))));
  EXPECT_EQ(ShownDb(Error(30, 0.5)), 30);
  EXPECT_EQ(ShownDb(Error(-INFINITY, 1)), -INFINITY);
}

TEST(TableFiguresTest, LowestOfSeveralWeightsPassesOverZeros) {
  LayerComparison layer;
  layer.weights = {{"weight_ih", {1}, Error(NAN, 0)},
                   {"weight_hh", {1}, Error(41, 0.1)}};
  EXPECT_THAT(SqnrDb(layer, Figure::kWeight), Optional(41.0));
}

TEST(TableFiguresTest, LayerWithoutTheFigureHasNone) {
  EXPECT_EQ(SqnrDb(LayerComparison(), Figure::kWeight), std::nullopt);
  EXPECT_EQ(SqnrDb(LayerComparison(), Figure::kInherited), std::nullopt);
}

TEST(TableFiguresTest, LayerWithoutValuesHasNone) {
  LayerComparison layer;
  layer.inherited = Error(NAN, 0);
  layer.activation.emplace();
  layer.activation->error = Error(NAN, 0);
  layer.activation->elements = 4;
  EXPECT_THAT(SqnrDb(layer, Figure::kActivation), Optional(INFINITY));
  EXPECT_THAT(SqnrDb(layer, Figure::kInherited), Optional(INFINITY));
  layer.activation->elements = 0;
  EXPECT_EQ(SqnrDb(layer, Figure::kActivation), std::nullopt);
  EXPECT_EQ(SqnrDb(layer, Figure::kInherited), std::nullopt);
}

TEST(TableFiguresTest, ZerosAreNotRanked) {
  ComparisonResult result;
  result.layers.resize(1);
  result.layers[0].activation.emplace();
  result.layers[0].inherited = Error(NAN, 0);
  EXPECT_THAT(Ranked(result, Figure::kInherited), IsEmpty());
}

}  // namespace
}  // namespace ns
