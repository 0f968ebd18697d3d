#include "ns/findings/error_breakdown.h"

#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/result/comparison_result.h"

namespace ns {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Optional;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::optional<ActivationComparison> Figures(std::optional<double> db) {
  if (!db.has_value()) {
    return std::nullopt;
  }
  ActivationComparison figures;
  figures.error.sqnr_db = *db;
  return figures;
}

LayerComparison Layer(std::optional<double> accumulated,
                      std::optional<double> local,
                      const std::vector<size_t>& producers = {},
                      std::optional<double> inherited = std::nullopt) {
  LayerComparison layer;
  layer.activation = Figures(accumulated);
  layer.shadow = Figures(local);
  layer.producers = producers;
  if (inherited.has_value()) {
    layer.inherited = ErrorFigures{*inherited, 0, 0, 0};
  }
  return layer;
}

ComparisonResult Result(std::vector<LayerComparison> layers) {
  ComparisonResult result;
  result.layers = std::move(layers);
  return result;
}

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

// A layer with figures (accumulated, local) behind one with 20 dB.
ComparisonResult Behind20Db(std::optional<double> accumulated,
                            std::optional<double> local) {
  return Result({Layer(20, 20), Layer(accumulated, local, {0})});
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

OutputComparison Output(const char* name, std::optional<double> accumulated,
                        std::optional<double> local) {
  OutputComparison output;
  output.name = name;
  output.activation = Figures(accumulated);
  output.shadow = Figures(local);
  return output;
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

TEST(FirstUnexplainedFallTest, MayBeOfAnotherOutput) {
  ComparisonResult result = Behind20Db(19, 40);
  EXPECT_EQ(FirstUnexplainedFall(result), std::nullopt);
  result.layers[1].outputs = {Output("h_n", 18, 40), Output("c_n", 5, 40)};
  EXPECT_THAT(FirstUnexplainedFall(result), Optional(1));
  const OutputComparison* output = UnexplainedOutput(result, 1);
  EXPECT_EQ(output, &result.layers[1].outputs[1]);
  // Its own local error is what is expected of it.
  result.layers[1].outputs[1].shadow->error.sqnr_db = 5;
  EXPECT_EQ(FirstUnexplainedFall(result), std::nullopt);
  EXPECT_NEAR(ExpectedAccumulatedDb(result, 1, output).value(), 4.865, 0.001);
  EXPECT_NEAR(ExpectedAccumulatedDb(result, 1).value(), 19.957, 0.001);
}

TEST(ExpectedAccumulatedDbTest, AddsPowersOfInheritedAndLocalError) {
  EXPECT_THAT(ExpectedAccumulatedDb(Behind20Db(5, 20), 1),
              Optional(testing::DoubleNear(20 - 10 * std::log10(2), 1e-9)));
  EXPECT_THAT(ExpectedAccumulatedDb(Behind20Db(5, kInfinity), 1),
              Optional(testing::DoubleNear(20, 1e-9)));
}

TEST(ExpectedAccumulatedDbTest, TakesTheWorstProducer) {
  const ComparisonResult result =
      Result({Layer(30, 30), Layer(10, 10), Layer(20, 20),
              Layer(5, kInfinity, {0, 1, 2})});
  EXPECT_THAT(ExpectedAccumulatedDb(result, 3),
              Optional(testing::DoubleNear(10, 1e-9)));
}

TEST(ExpectedAccumulatedDbTest, IsInfiniteForExactAndForErrorWithoutSignal) {
  EXPECT_THAT(ExpectedAccumulatedDb(
                  Result({Layer(kInfinity, {}), Layer(5, kInfinity, {0})}), 1),
              Optional(kInfinity));
  EXPECT_THAT(ExpectedAccumulatedDb(Behind20Db(5, -kInfinity), 1),
              Optional(-kInfinity));
}

TEST(ExpectedAccumulatedDbTest, IsAbsentWhereSomethingIsNotKnown) {
  const std::vector<LayerComparison> layers = {Layer(20, 20), Layer({}, 20),
                                               Layer(kNan, 20)};
  const auto expected = [&](const LayerComparison& last) {
    std::vector<LayerComparison> all = layers;
    all.push_back(last);
    return ExpectedAccumulatedDb(Result(all), all.size() - 1);
  };
  EXPECT_NE(expected(Layer(5, 20, {0})), std::nullopt);
  EXPECT_EQ(expected(Layer(5, 20)), std::nullopt);
  EXPECT_EQ(expected(Layer(5, {}, {0})), std::nullopt);
  EXPECT_EQ(expected(Layer(5, kNan, {0})), std::nullopt);
  EXPECT_EQ(expected(Layer(5, 20, {0, 1})), std::nullopt);
  EXPECT_EQ(expected(Layer(5, 20, {0, 2})), std::nullopt);
  EXPECT_EQ(expected(Layer(5, 20, {0, 99})), std::nullopt);
  LayerComparison of_other_output = Layer(5, 20, {0});
  of_other_output.producers_are_compared = false;
  EXPECT_EQ(expected(of_other_output), std::nullopt);
}

TEST(FirstUnexplainedFallTest, IsTheFirstLayerBelowWhatIsExpected) {
  const ComparisonResult result =
      Result({Layer(35, 35), Layer(31, 34, {0}), Layer(20, 36, {1}),
              Layer(8, 36, {2})});
  EXPECT_THAT(FirstUnexplainedFall(result), Optional(2));
}

TEST(FirstUnexplainedFallTest, LeavesAMarginOf6DbBelow) {
  // Expected are 16.99 dB.
  EXPECT_EQ(FirstUnexplainedFall(Behind20Db(11, 20)), std::nullopt);
  EXPECT_THAT(FirstUnexplainedFall(Behind20Db(10.9, 20)), Optional(1));
}

// Scores with masked ones among them have a high SQNR, and the others a low
// one.
TEST(FirstUnexplainedFallTest, IsNotWhatAFunctionMakesOfItsInput) {
  ComparisonResult result = Result({Layer(80, 80), Layer(20, 45, {0}, 20)});
  for (const char* family : {"softmax", "sigmoid", "layer_norm", "slice"}) {
    result.layers[1].family = family;
    EXPECT_EQ(FirstUnexplainedFall(result), std::nullopt) << family;
    EXPECT_NEAR(ExpectedAccumulatedDb(result, 1).value(), 20, 0.1);
  }
  // More than what it inherits.
  result.layers[1].activation->error.sqnr_db = 10;
  EXPECT_THAT(FirstUnexplainedFall(result), Optional(1));
}

TEST(FirstUnexplainedFallTest, MayBeWhereTermsCancel) {
  ComparisonResult result = Result({Layer(40, 40), Layer(20, 45, {0}, 20)});
  for (const char* family : {"add", "sub", "linear", "conv2d", "mean", ""}) {
    result.layers[1].family = family;
    EXPECT_THAT(FirstUnexplainedFall(result), Optional(1)) << family;
  }
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

TEST(FirstUnpairedFallTest, IsBehindWhatOnlyOneModelHas) {
  ComparisonResult result = Behind20Db(-1, 30);
  EXPECT_EQ(FirstUnpairedFall(result), std::nullopt);
  result.layers[1].unpaired_input = "why";
  EXPECT_EQ(FirstUnexplainedFall(result), std::nullopt);
  const std::optional<UnpairedFall> fall = FirstUnpairedFall(result);
  ASSERT_TRUE(fall.has_value());
  EXPECT_EQ(fall->layer, 1);
  EXPECT_EQ(fall->output, nullptr);
  EXPECT_NEAR(fall->accumulated_db, -1, 1e-9);
  EXPECT_NEAR(fall->expected_db, -10 * std::log10(0.01 + 0.001), 1e-9);
  result.inputs_are_finite = false;
  EXPECT_EQ(FirstUnpairedFall(result), std::nullopt);
}

TEST(FirstUnpairedFallTest, MayBeBehindAnOpThatWasReplaced) {
  ComparisonResult result = Behind20Db(-1, 30);
  result.layers[1].replaced_input = "why";
  EXPECT_EQ(FirstUnexplainedFall(result), std::nullopt);
  EXPECT_TRUE(FirstUnpairedFall(result).has_value());
  // Such a layer may well be the worst offender.
  result.layers[1].shadow->error.sqnr_db = 3;
  EXPECT_THAT(WorstOffender(result), Optional(1));
}

// The float layer does not take what the quantized one gets.
TEST(FirstUnpairedFallTest, ALayerWithoutAShadowMayHave20DbByItself) {
  for (const double accumulated : {12., 10.}) {
    ComparisonResult result = Behind20Db(accumulated, std::nullopt);
    result.layers[1].replaced_input = "why";
    EXPECT_EQ(FirstUnpairedFall(result).has_value(), accumulated < 11);
  }
}

TEST(FirstUnpairedFallTest, LeavesAMarginOf6DbBelow) {
  for (const double accumulated : {14., 13.}) {
    ComparisonResult result = Behind20Db(accumulated, kInfinity);
    result.layers[1].unpaired_input = "why";
    EXPECT_EQ(FirstUnpairedFall(result).has_value(), accumulated < 13.9);
  }
}

// What is not compared may hand on as much as any layer in front.
TEST(FirstUnpairedFallTest, UnknownInputsHaveTheLargestErrorInFront) {
  for (const double worst : {20., 2.}) {
    ComparisonResult result =
        Result({Layer(worst, 20), Layer(30, 30), Layer(1, 40, {1})});
    result.layers[2].producers_are_compared = false;
    result.layers[2].unpaired_input = "why";
    EXPECT_EQ(FirstUnpairedFall(result).has_value(), worst == 20);
  }
  ComparisonResult first = Result({Layer(1, 40)});
  first.layers[0].unpaired_input = "why";
  EXPECT_TRUE(FirstUnpairedFall(first).has_value());
}

TEST(FirstUnpairedFallTest, MayBeOfAnotherOutput) {
  ComparisonResult result = Behind20Db(19, 40);
  result.layers[1].unpaired_input = "why";
  result.layers[1].outputs = {Output("h_n", 18, 40), Output("c_n", 5, 40)};
  const std::optional<UnpairedFall> fall = FirstUnpairedFall(result);
  ASSERT_TRUE(fall.has_value());
  EXPECT_EQ(fall->output, &result.layers[1].outputs[1]);
}

TEST(FirstUnexplainedFallTest, LargeLocalErrorExplainsAFall) {
  EXPECT_EQ(FirstUnexplainedFall(Behind20Db(3, 3)), std::nullopt);
  EXPECT_EQ(FirstUnexplainedFall(Behind20Db(-kInfinity, -kInfinity)),
            std::nullopt);
}

TEST(FirstUnexplainedFallTest, ErrorFromNowhereIsUnexplained) {
  const auto behind_exact = [](double accumulated) {
    return FirstUnexplainedFall(
        Result({Layer(kInfinity, {}), Layer(accumulated, kInfinity, {0})}));
  };
  EXPECT_THAT(behind_exact(30), Optional(1));
  EXPECT_THAT(behind_exact(-kInfinity), Optional(1));
  EXPECT_EQ(behind_exact(kInfinity), std::nullopt);
}

TEST(FirstUnexplainedFallTest, RoundingOfFloatsNeedsNoExplanation) {
  EXPECT_EQ(FirstUnexplainedFall(
                Result({Layer(kInfinity, {}), Layer(120, kInfinity, {0})})),
            std::nullopt);
}

TEST(FirstUnexplainedFallTest, PassesOverWhatIsNotKnown) {
  EXPECT_EQ(FirstUnexplainedFall(Behind20Db({}, 20)), std::nullopt);
  EXPECT_EQ(FirstUnexplainedFall(Behind20Db(kNan, 20)), std::nullopt);
  EXPECT_EQ(FirstUnexplainedFall(Behind20Db(5, {})), std::nullopt);
  EXPECT_EQ(FirstUnexplainedFall(Result({Layer(5, 20)})), std::nullopt);
  EXPECT_EQ(FirstUnexplainedFall({}), std::nullopt);
}

TEST(FirstUnexplainedFallTest, IsNoLayerWithAnUnpairedInput) {
  ComparisonResult result = Behind20Db(5, 20);
  ASSERT_THAT(FirstUnexplainedFall(result), Optional(1));
  result.layers[1].unpaired_input = "an extra layer";
  EXPECT_EQ(FirstUnexplainedFall(result), std::nullopt);
}

TEST(FirstUnexplainedFallTest, IsNotNamedFromNanAndInfinities) {
  ComparisonResult result = Result({Layer(40, 40), Layer(10, 40, {0})});
  EXPECT_THAT(FirstUnexplainedFall(result), Optional(1));
  result.inputs_are_finite = false;
  EXPECT_EQ(FirstUnexplainedFall(result), std::nullopt);
  result.inputs_are_finite = true;
  result.layers[1].activation->non_finite = NonFiniteCounts{0, 1, 0, 0};
  EXPECT_EQ(FirstUnexplainedFall(result), std::nullopt);
}

TEST(FirstUnexplainedFallTest, LoopsMayLeadBack) {
  const ComparisonResult result =
      Result({Layer(20, 20, {1}), Layer(10, 20, {0, 1}), Layer(3, 20, {1})});
  EXPECT_THAT(FirstUnexplainedFall(result), Optional(2));
}

}  // namespace
}  // namespace ns
