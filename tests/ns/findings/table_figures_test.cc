#include "ns/findings/table_figures.h"

#include <cmath>
#include <limits>
#include <optional>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/result/comparison_result.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsNan;
using ::testing::Optional;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

ErrorFigures Error(double sqnr_db) {
  ErrorFigures error;
  error.sqnr_db = sqnr_db;
  return error;
}

// JSON and CSV have the same figure.
TEST(TableFiguresTest, FiguresAreShownAsTheyAre) {
  for (const double db : {kInfinity, -kInfinity, 30.0}) {
    LayerComparison layer;
    layer.inherited = Error(db);
    layer.activation.emplace();
    layer.activation->error = Error(db);
    layer.weights = {{"weight", {1}, Error(db)}};
    EXPECT_THAT(SqnrDb(layer, Figure::kWeight), Optional(db));
    EXPECT_THAT(SqnrDb(layer, Figure::kActivation), Optional(db));
    EXPECT_THAT(SqnrDb(layer, Figure::kInherited), Optional(db));
  }
}

TEST(TableFiguresTest, PartsAreOfTheShadow) {
  ComparisonResult result;
  LayerComparison& layer = result.layers.emplace_back();
  result.has_shadows = true;
  EXPECT_THAT(ShownFigures(result), ElementsAre(Figure::kShadow));
  layer.weight_only = Error(31);
  layer.activation_only = Error(32);
  // No element was compared.
  EXPECT_EQ(SqnrDb(layer, Figure::kWeightOnly), std::nullopt);
  layer.shadow.emplace();
  EXPECT_THAT(SqnrDb(layer, Figure::kWeightOnly), Optional(31.0));
  EXPECT_THAT(SqnrDb(layer, Figure::kActivationOnly), Optional(32.0));
  EXPECT_THAT(ShownFigures(result),
              ElementsAre(Figure::kShadow, Figure::kWeightOnly,
                          Figure::kActivationOnly));
}

TEST(TableFiguresTest, NanStaysNan) {
  LayerComparison layer;
  layer.activation.emplace();
  layer.activation->error = Error(NAN);
  EXPECT_THAT(SqnrDb(layer, Figure::kActivation), Optional(IsNan()));
}

TEST(TableFiguresTest, LowestOfSeveralWeights) {
  LayerComparison layer;
  layer.weights = {{"weight_ih", {1}, Error(INFINITY)},
                   {"weight_hh", {1}, Error(41)}};
  EXPECT_THAT(SqnrDb(layer, Figure::kWeight), Optional(41.0));
}

TEST(TableFiguresTest, WeightWithoutElementsHasNone) {
  LayerComparison layer;
  layer.weights = {{"weight", {0, 4}, Error(NAN)}};
  EXPECT_EQ(SqnrDb(layer, Figure::kWeight), std::nullopt);
}

TEST(TableFiguresTest, LayerWithoutTheFigureHasNone) {
  EXPECT_EQ(SqnrDb(LayerComparison(), Figure::kWeight), std::nullopt);
  EXPECT_EQ(SqnrDb(LayerComparison(), Figure::kInherited), std::nullopt);
}

TEST(TableFiguresTest, LayerWithoutValuesHasNone) {
  LayerComparison layer;
  layer.inherited = Error(NAN);
  layer.activation.emplace();
  layer.activation->error = Error(NAN);
  layer.activation->elements = 0;
  EXPECT_EQ(SqnrDb(layer, Figure::kActivation), std::nullopt);
  EXPECT_EQ(SqnrDb(layer, Figure::kInherited), std::nullopt);
}

TEST(TableFiguresTest, LayersOfInfinitiesAreNotRanked) {
  ComparisonResult result;
  result.layers.resize(2);
  for (LayerComparison& layer : result.layers) {
    layer.activation.emplace();
    layer.activation->error = Error(-INFINITY);
  }
  result.layers[1].activation->non_finite = NonFiniteCounts{0, 0, 0, 1};
  EXPECT_THAT(Ranked(result, Figure::kActivation),
              ElementsAre(&result.layers[0]));
}

// An LSTM's output, h_n and c_n.
LayerComparison Lstm(double output, double h, double c) {
  LayerComparison layer;
  layer.activation.emplace();
  layer.activation->error = Error(output);
  for (const double db : {h, c}) {
    layer.outputs.emplace_back();
    layer.outputs.back().activation.emplace();
    layer.outputs.back().activation->error = Error(db);
    layer.outputs.back().inherited = Error(db + 1);
  }
  return layer;
}

TEST(TableFiguresTest, OutputsHaveFiguresOfTheirOwn) {
  const LayerComparison layer = Lstm(30, 20, 10);
  const OutputComparison* c = &layer.outputs[1];
  EXPECT_THAT(SqnrDb(layer, c, Figure::kActivation), Optional(10.0));
  EXPECT_THAT(SqnrDb(layer, c, Figure::kInherited), Optional(11.0));
  EXPECT_EQ(SqnrDb(layer, c, Figure::kShadow), std::nullopt);
  EXPECT_EQ(SqnrDb(layer, c, Figure::kWeight), std::nullopt);
  EXPECT_THAT(SqnrDb(layer, nullptr, Figure::kActivation), Optional(30.0));
}

TEST(TableFiguresTest, LowestOutputDecides) {
  const LayerComparison layer = Lstm(30, 20, 25);
  EXPECT_EQ(LowestSqnr(layer, Figure::kActivation).output, &layer.outputs[0]);
  EXPECT_THAT(LowestSqnr(layer, Figure::kActivation).db, Optional(20.0));
  const LayerComparison first = Lstm(20, 20, 25);
  EXPECT_EQ(LowestSqnr(first, Figure::kActivation).output, nullptr);
}

TEST(TableFiguresTest, NanOfAnOutputIsLowestAndNotRanked) {
  const LayerComparison layer = Lstm(30, NAN, 25);
  EXPECT_THAT(LowestSqnr(layer, Figure::kActivation).db, Optional(IsNan()));
  EXPECT_EQ(RankedSqnr(layer, Figure::kActivation).output, &layer.outputs[1]);
  EXPECT_THAT(RankedSqnr(layer, Figure::kActivation).db, Optional(25.0));
}

TEST(TableFiguresTest, LayersRankByTheWorstOfTheirOutputs) {
  ComparisonResult result;
  result.layers = {Lstm(30, 40, 40), Lstm(50, 50, 10), Lstm(20, 40, 40)};
  EXPECT_THAT(
      Ranked(result, Figure::kActivation),
      ElementsAre(&result.layers[1], &result.layers[2], &result.layers[0]));
  Layers sorted = {&result.layers[0], &result.layers[1], &result.layers[2]};
  SortByFigure(Figure::kActivation, sorted);
  EXPECT_THAT(sorted, ElementsAre(&result.layers[1], &result.layers[2],
                                  &result.layers[0]));
}

TEST(TableFiguresTest, OutputsOfInfinitiesAreNotRanked) {
  ComparisonResult result;
  result.layers = {Lstm(30, 5, 20)};
  result.layers[0].outputs[0].activation->non_finite =
      NonFiniteCounts{0, 1, 0, 0};
  EXPECT_THAT(RankedSqnr(result.layers[0], Figure::kActivation).db,
              Optional(20.0));
}

TEST(TableFiguresTest, ExactLayersAreNotRanked) {
  ComparisonResult result;
  result.layers.resize(1);
  result.layers[0].activation.emplace();
  result.layers[0].inherited = Error(INFINITY);
  EXPECT_THAT(Ranked(result, Figure::kInherited), IsEmpty());
}

}  // namespace
}  // namespace ns
