#include "ns/findings/error_breakdown.h"

#include <initializer_list>
#include <limits>
#include <optional>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/result/comparison_result.h"
#include "tests/ns/findings/layer_figures.h"

namespace ns {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Optional;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::optional<ErrorPart> Dominant(std::optional<double> local,
                                  std::optional<double> inherited) {
  return DominantPart(Layer(20, local, {}, inherited));
}

// Layers whose shadows have these figures.
ComparisonResult Shadows(const std::vector<std::optional<double>>& figures) {
  ComparisonResult result;
  for (const std::optional<double> db : figures) {
    result.layers.push_back(Layer(5, db));
  }
  return result;
}

TEST(NoiseToSignalTest, IsARatioOfPowers) {
  EXPECT_DOUBLE_EQ(NoiseToSignal(0), 1);
  EXPECT_DOUBLE_EQ(NoiseToSignal(20), 0.01);
  EXPECT_DOUBLE_EQ(NoiseToSignal(-10), 10);
  EXPECT_EQ(NoiseToSignal(kInfinity), 0);
  EXPECT_EQ(NoiseToSignal(-kInfinity), kInfinity);
}

TEST(DominantPartTest, IsTheOneThatIsLargerBy3Db) {
  EXPECT_EQ(Dominant(10, 20), ErrorPart::kLocal);
  EXPECT_EQ(Dominant(20, 10), ErrorPart::kInherited);
  EXPECT_EQ(Dominant(20, 20), ErrorPart::kBoth);
  EXPECT_EQ(Dominant(20, 23), ErrorPart::kBoth);
  EXPECT_EQ(Dominant(20, 23.1), ErrorPart::kLocal);
  EXPECT_EQ(Dominant(23, 20), ErrorPart::kBoth);
  EXPECT_EQ(Dominant(23.1, 20), ErrorPart::kInherited);
}

TEST(DominantPartTest, ExactPartIsNeverTheLarger) {
  EXPECT_EQ(Dominant(100, kInfinity), ErrorPart::kLocal);
  EXPECT_EQ(Dominant(kInfinity, 100), ErrorPart::kInherited);
  EXPECT_EQ(Dominant(kInfinity, kInfinity), std::nullopt);
}

TEST(DominantPartTest, ErrorWithoutSignalIsTheLarger) {
  EXPECT_EQ(Dominant(-kInfinity, 0), ErrorPart::kLocal);
  EXPECT_EQ(Dominant(0, -kInfinity), ErrorPart::kInherited);
  EXPECT_EQ(Dominant(-kInfinity, -kInfinity), ErrorPart::kBoth);
}

TEST(DominantPartTest, IsAbsentForNanAndForWhatWasNotMeasured) {
  EXPECT_EQ(Dominant(kNan, 20), std::nullopt);
  EXPECT_EQ(Dominant(20, kNan), std::nullopt);
  EXPECT_EQ(Dominant({}, 20), std::nullopt);
  EXPECT_EQ(Dominant(20, {}), std::nullopt);
}

TEST(DominantPartTest, IsAbsentWhereValuesAreNotFinite) {
  LayerComparison layer = Layer(20, 5, {}, 30);
  layer.shadow->non_finite = NonFiniteCounts{0, 0, 0, 1};
  EXPECT_EQ(DominantPart(layer), std::nullopt);
}

TEST(DominantPartTest, HasANameForEach) {
  EXPECT_EQ(ErrorPartName(ErrorPart::kLocal), "local");
  EXPECT_EQ(ErrorPartName(ErrorPart::kInherited), "inherited");
  EXPECT_EQ(ErrorPartName(ErrorPart::kBoth), "both");
}

TEST(WorstOffenderTest, HasTheLowestLocalFigure) {
  EXPECT_THAT(WorstOffender(Shadows({30, 8.7, 20})), Optional(1));
}

TEST(WorstOffenderTest, IsTheFirstAmongEquals) {
  EXPECT_THAT(WorstOffender(Shadows({30, 20, 20})), Optional(1));
}

TEST(WorstOffenderTest, IsNeverNanOrExact) {
  EXPECT_THAT(WorstOffender(Shadows({kNan, kInfinity, {}, 30})), Optional(3));
  EXPECT_EQ(WorstOffender(Shadows({kNan, kInfinity})), std::nullopt);
}

TEST(WorstOffenderTest, MayBeAnErrorWithoutSignal) {
  EXPECT_THAT(WorstOffender(Shadows({1, -kInfinity})), Optional(1));
}

ComparisonResult WithShares(std::initializer_list<double> shares,
                            ComparisonResult result) {
  auto layer = result.layers.begin();
  for (const double share : shares) {
    (layer++)->output_share = share;
  }
  return result;
}

TEST(WorstOffenderTest, HasTheLargestShareOfTheOutputsErrorWhereThatIsKnown) {
  EXPECT_THAT(WorstOffender(WithShares({0.2, 0, 0.8}, Shadows({30, 8.7, 20}))),
              Optional(2));
  // Shares that do not explain the error say nothing.
  EXPECT_THAT(WorstOffender(WithShares({0.1, 0, 0.2}, Shadows({30, 8.7, 20}))),
              Optional(1));
}

TEST(WorstOffenderTest, IsAbsentWhereTheErrorIsSpread) {
  const std::vector<std::optional<double>> local(12, 20.0);
  ComparisonResult result = Shadows(local);
  for (LayerComparison& layer : result.layers) {
    layer.output_share = 1.0 / 12;
  }
  EXPECT_EQ(WorstOffender(result), std::nullopt);
  EXPECT_THAT(MostHarmful(result), Optional(0));
}

TEST(WorstOffenderTest, OfSharesIsNoLayerWithAnUnpairedInput) {
  ComparisonResult result = WithShares({0.2, 0.5, 0.3}, Shadows({30, 8.7, 20}));
  result.layers[1].unpaired_input = "behind relu";
  EXPECT_THAT(WorstOffender(result), Optional(2));
}

TEST(WorstOffenderTest, IsNoLayerWithAnUnpairedInput) {
  ComparisonResult result = Shadows({30, 8.7, 20});
  result.layers[1].unpaired_input = "an extra layer";
  EXPECT_THAT(WorstOffender(result), Optional(2));
}

TEST(WorstOffenderTest, IsNoLayerWhereTheFloatModelHasNanOrInfinities) {
  ComparisonResult result = Shadows({-kInfinity, 30, 20});
  result.layers[0].shadow->non_finite = NonFiniteCounts{0, 1, 0, 1};
  result.layers[2].activation->non_finite = NonFiniteCounts{1, 0, 0, 0};
  EXPECT_THAT(WorstOffender(result), Optional(1));
  result.layers[1].activation->non_finite = NonFiniteCounts{0, 1, 0, 1};
  EXPECT_EQ(WorstOffender(result), std::nullopt);
}

TEST(WorstOffenderTest, IsTheFirstLayerThatMakesNanOrInfinitiesOfNumbers) {
  ComparisonResult result = Shadows({10, 30, kNan, -kInfinity});
  result.layers[2].shadow->non_finite = NonFiniteCounts{0, 0, 4, 0};
  result.layers[2].activation->non_finite = NonFiniteCounts{0, 0, 4, 0};
  result.layers[3].shadow->non_finite = NonFiniteCounts{0, 0, 0, 1};
  EXPECT_THAT(WorstOffender(result), Optional(2));
  // Here the float model has none to be held against.
  result.layers[2].activation->non_finite = NonFiniteCounts{4, 0, 4, 0};
  EXPECT_THAT(WorstOffender(result), Optional(3));
}

// The scores of an attention, of which a mask is lost where they are quantized.
TEST(WorstOffenderTest, LosesInfinitiesOfTheFloatModel) {
  ComparisonResult result = Shadows({10, kNan, 5});
  for (LayerComparison& layer : result.layers) {
    layer.activation->non_finite = NonFiniteCounts{0, 8, 0, 0};
  }
  result.layers[1].shadow->non_finite = NonFiniteCounts{0, 8, 0, 0};
  EXPECT_THAT(WorstOffender(result), Optional(1));
  EXPECT_TRUE(LosesInfinities(result.layers[1]));
  EXPECT_FALSE(LosesInfinities(result.layers[2]));
  // Where the float model has none, they come from the quantized one.
  result.layers[1].activation->non_finite = NonFiniteCounts{};
  EXPECT_FALSE(LosesInfinities(result.layers[1]));
}

TEST(WorstOffenderTest, MayHaveInfinitiesInCommon) {
  ComparisonResult result = Shadows({30, 10});
  LayerComparison& layer = result.layers[1];
  for (auto* figures : {&layer.activation, &layer.shadow}) {
    (*figures)->non_finite = NonFiniteCounts{0, 8, 0, 8};
    (*figures)->error.max_abs_error = 0.25;
  }
  EXPECT_TRUE(IsOfFiniteValues(*layer.shadow));
  EXPECT_THAT(WorstOffender(result), Optional(1));
  // As many, but others.
  layer.shadow->error.max_abs_error = kInfinity;
  EXPECT_FALSE(IsOfFiniteValues(*layer.shadow));
  EXPECT_THAT(WorstOffender(result), Optional(0));
  layer.shadow->error = {kInfinity, 0, 1, 0};
  EXPECT_TRUE(IsOfFiniteValues(*layer.shadow));
}

TEST(WorstOffenderTest, IsAbsentWhereInputsAreNotFinite) {
  ComparisonResult result = Shadows({30, 20});
  result.inputs_are_finite = false;
  EXPECT_EQ(WorstOffender(result), std::nullopt);
}

TEST(WorstOffenderTest, IsAbsentWithoutShadows) {
  EXPECT_EQ(WorstOffender(Shadows({{}, {}})), std::nullopt);
  EXPECT_EQ(WorstOffender({}), std::nullopt);
}

TEST(WorstOffenderTest, IsJudgedByTheWorstOfItsOutputs) {
  ComparisonResult result = Shadows({30, 40, 20});
  EXPECT_EQ(OffendingOutput(result.layers[1]), nullptr);
  result.layers[1].outputs = {Output("h_n", 5, 25), Output("c_n", 5, 12)};
  EXPECT_THAT(WorstOffender(result), Optional(1));
  EXPECT_EQ(OffendingOutput(result.layers[1]), &result.layers[1].outputs[1]);
  result.layers[1].outputs[1].shadow->error.sqnr_db = 20;
  EXPECT_THAT(WorstOffender(result), Optional(1));
  result.layers[1].outputs[1].shadow->error.sqnr_db = kNan;
  EXPECT_THAT(WorstOffender(result), Optional(2));
  EXPECT_EQ(OffendingOutput(result.layers[1]), &result.layers[1].outputs[0]);
}

TEST(WorstOffenderTest, MakesNanOrInfinitiesOfAnyOutput) {
  ComparisonResult result = Shadows({30, 40, 1});
  result.layers[1].outputs = {Output("h_n", 5, 45), Output("c_n", 5, 50)};
  OutputComparison& broken = result.layers[1].outputs[1];
  broken.shadow->non_finite = NonFiniteCounts{0, 0, 1, 0};
  EXPECT_THAT(WorstOffender(result), Optional(1));
  EXPECT_EQ(OffendingOutput(result.layers[1]), &broken);
  // The float model has them, too.
  broken.activation->non_finite = NonFiniteCounts{1, 0, 1, 0};
  EXPECT_THAT(WorstOffender(result), Optional(2));
}

// Accumulated, local and inherited figures of a norm and a linear layer that
// factors were moved between, behind a healthy layer and in front of another.
ComparisonResult Rescaled(double accumulated) {
  return Result({Layer(40, 40), Layer(3, 3, {0}, 39),
                 Layer(accumulated, -7, {1}, 2),
                 Layer(accumulated - 1, 35, {2}, 33)});
}

TEST(TakenBackTest, IsWhatTwoLayersMakeOfEachOther) {
  EXPECT_THAT(TakenBack(Rescaled(33)), ElementsAre(false, true, true, false));
  EXPECT_THAT(WorstOffender(Rescaled(33)), Optional(3));
  // The errors of a broken layer stay.
  EXPECT_THAT(TakenBack(Rescaled(-7)), Each(false));
  EXPECT_THAT(WorstOffender(Rescaled(-7)), Optional(2));
}

TEST(TakenBackTest, GoesThroughLayersInBetweenAndEveryWay) {
  ComparisonResult result = Rescaled(33);
  // A clamp that rounds nothing, between the two.
  result.layers.insert(result.layers.begin() + 2, Layer(3, kInfinity, {1}, 3));
  result.layers[3].producers = {2};
  result.layers[4].producers = {3};
  EXPECT_THAT(TakenBack(result), ElementsAre(false, true, false, true, false));
  // Another layer takes the norm as it is.
  result.layers.push_back(Layer(2, 30, {1}, 2));
  EXPECT_THAT(TakenBack(result),
              ElementsAre(false, false, false, true, false, false));
}

TEST(HarmsTest, WhatAClampCutsOffDoesNone) {
  ComparisonResult result =
      Result({Layer(35, 35), Layer(3, 3, {0}, 35), Layer(30, kInfinity, {1}, 3),
              Layer(20, 20.5, {2}, 30)});
  result.layers[2].family = "hardtanh";
  EXPECT_THAT(WorstOffender(result), Optional(3));
  EXPECT_NEAR(Harms(result)[1], NoiseToSignal(30) - NoiseToSignal(35), 1e-9);
  // What is left was there before.
  result.layers[2].activation->error.sqnr_db = 36;
  EXPECT_EQ(Harms(result)[1], 0);
  // A clamp that lets it pass.
  result.layers[2].activation->error.sqnr_db = 3;
  EXPECT_THAT(WorstOffender(result), Optional(1));
  // What is no clamp may make something of it, and so may another reader.
  result.layers[2].activation->error.sqnr_db = 30;
  result.layers[2].family = "avg_pool2d";
  EXPECT_THAT(WorstOffender(result), Optional(1));
  result.layers[2].family = "hardtanh";
  result.layers.push_back(Layer(3, 40, {1}, 3));
  EXPECT_THAT(WorstOffender(result), Optional(1));
}

}  // namespace
}  // namespace ns
