#include "ns/findings/error_causes.h"

#include <cmath>
#include <optional>
#include <set>
#include <string>

#include "gtest/gtest.h"
#include "tests/ns/report/table_results.h"

namespace ns {
namespace {

// A layer whose output has the given mean squared signal and error, in 8 bits
// that fit values of -1 to 1.
LayerComparison LayerWith(double signal, double error) {
  LayerComparison layer = Broken("fc", 20, 10 * std::log10(signal / error), 30);
  ActivationComparison& shadow = *layer.shadow;
  // A tenth of the squared error is due to a shift.
  shadow.error.bias_share = 0.1;
  shadow.error.mean_error = std::sqrt(0.1 * error);
  shadow.elements = 1000;
  shadow.ranges = ValueRanges{-1, 1, -1, 1};
  shadow.codes = CodeUse{0, 0, 0};
  layer.qparams = LayerQParams{2. / 255, 127};
  return layer;
}

// What rounding with a step of 2 / 255 causes.
const double kRounding = std::pow(2. / 255, 2) / 12;

TEST(ErrorCausesTest, RoundingIsTheErrorOfAStep) {
  const LayerComparison layer = LayerWith(0.3, kRounding);
  EXPECT_NEAR(*ErrorSharesOf(layer).rounding, 1, 1e-9);
  EXPECT_NEAR(*ErrorSharesOf(layer).clipping, 0, 1e-9);
  EXPECT_EQ(CauseOf(layer), ErrorCause::kRounding);
}

TEST(ErrorCausesTest, WhatTheWeightDoesIsMeasuredWhereItWas) {
  LayerComparison layer = LayerWith(0.3, 0.001);
  // The weight alone would explain 100 times the error, and does a half.
  layer.weights.push_back({"weight", {2, 2}, {}});
  layer.weights[0].error.sqnr_db = layer.shadow->error.sqnr_db - 20;
  EXPECT_NEAR(*ErrorSharesOf(layer).weight, 100, 1e-6);
  layer.measured_shares = PartShares{0.5, std::nullopt};
  EXPECT_NEAR(*ErrorSharesOf(layer).weight, 0.5, 1e-9);
}

// A verdict that depends on the flags is two verdicts.
TEST(ErrorCausesTest, PartsThatTheUserAsksForChangeNoCause) {
  LayerComparison layer = LayerWith(0.3, kRounding);
  layer.weight_only = layer.shadow->error;
  layer.activation_only = ErrorFigures{};
  layer.activation_only->sqnr_db = 200;
  EXPECT_FALSE(ErrorSharesOf(layer).weight.has_value());
  EXPECT_EQ(CauseOf(layer), ErrorCause::kRounding);
}

// The weight is rounded so that the output shifts, and the bias takes that
// back: it differs as much as the error is large, and is not its cause.
TEST(ErrorCausesTest, AWeightIsToBlameBeforeTheBiasThatCorrectsIt) {
  LayerComparison layer = LayerWith(0.3, 0.001);
  layer.bias = BiasComparison{0.001, false};
  EXPECT_EQ(CauseOf(layer), ErrorCause::kBias);
  layer.measured_shares = PartShares{2, 0.01};
  EXPECT_EQ(CauseOf(layer), ErrorCause::kWeight);
}

TEST(ErrorCausesTest, TheScaleOfAnObserverWithoutDataIsNoRange) {
  LayerComparison layer = LayerWith(0.3, 1. / 12);
  layer.qparams = LayerQParams{1, 0};
  EXPECT_TRUE(IsUncalibrated(layer));
  EXPECT_EQ(CauseOf(layer), ErrorCause::kNeverCalibrated);
  layer.qparams->scale = 1.001;
  EXPECT_EQ(CauseOf(layer), ErrorCause::kRange);
}

// Pixels from 0 to 255 are calibrated to just that scale.
TEST(ErrorCausesTest, AScaleOfOneMayFit) {
  LayerComparison layer = LayerWith(5000, 1. / 12);
  layer.qparams = LayerQParams{1, 0};
  layer.shadow->ranges = ValueRanges{0, 255, 0, 255};
  EXPECT_FALSE(IsUncalibrated(layer));
  EXPECT_EQ(CauseOf(layer), ErrorCause::kRounding);
  layer.shadow->ranges->float_max = 400;
  EXPECT_TRUE(IsUncalibrated(layer));
}

TEST(ErrorCausesTest, RoundingAndClippingShareWhatActivationsDo) {
  LayerComparison layer = LayerWith(0.3, 0.001);
  layer.measured_shares = PartShares{std::nullopt, 0.5};
  EXPECT_NEAR(*ErrorSharesOf(layer).rounding, 0.5, 1e-9);
  EXPECT_NEAR(*ErrorSharesOf(layer).clipping, 0, 1e-9);
  // A fifth of the values is clipped, by up to 1: 0.2 / 3 of the power, far
  // more than rounding.
  layer.shadow->codes->at_highest = 200;
  layer.shadow->ranges->float_max = 2 + layer.qparams->scale;
  const ErrorShares shares = ErrorSharesOf(layer);
  EXPECT_NEAR(*shares.rounding + *shares.clipping, 0.5, 1e-9);
  EXPECT_NEAR(*shares.clipping / *shares.rounding, 0.2 / 3 / kRounding, 1e-3);
  EXPECT_EQ(CauseOf(layer), ErrorCause::kClipping);
}

TEST(ErrorCausesTest, ADynamicLayerRoundsItsInput) {
  LayerComparison layer = LayerWith(0.3, 0.001);
  layer.qparams.reset();
  layer.shadow->codes.reset();
  layer.measured_shares = PartShares{std::nullopt, 1};
  EXPECT_NEAR(*ErrorSharesOf(layer).rounding, 1, 1e-9);
  EXPECT_FALSE(ErrorSharesOf(layer).clipping.has_value());
  EXPECT_EQ(CauseOf(layer), ErrorCause::kRounding);
}

TEST(ErrorCausesTest, ARangeThatIsTooWideIsToBlameForRounding) {
  LayerComparison layer = LayerWith(0.3, 100 * kRounding);
  layer.qparams->scale *= 10;
  EXPECT_NEAR(*RangeRatio(layer), 10, 1e-9);
  EXPECT_EQ(CauseOf(layer), ErrorCause::kRange);
}

TEST(ErrorCausesTest, ARangeOfSevenBitsIsNotTooWide) {
  LayerComparison layer = LayerWith(0.3, 4 * kRounding);
  layer.qparams->scale *= 2;
  EXPECT_EQ(CauseOf(layer), ErrorCause::kRounding);
}

TEST(ErrorCausesTest, TheRangeOfPositiveValuesBeginsAtZero) {
  LayerComparison layer = LayerWith(0.3, kRounding);
  layer.shadow->ranges = ValueRanges{0.5, 1, 0.5, 1};
  layer.qparams->scale = 1. / 255;
  EXPECT_NEAR(*RangeRatio(layer), 1, 1e-9);
}

TEST(ErrorCausesTest, ClippingIsWhatLiesBeyondTheEnds) {
  LayerComparison layer = LayerWith(3, 0.1 * 9 / 3);
  // A tenth of the values is at the highest one, up to 3 beyond it and a step.
  layer.shadow->ranges->float_max = 4 + layer.qparams->scale;
  layer.shadow->codes->at_highest = 100;
  EXPECT_NEAR(*ErrorSharesOf(layer).clipping, 1, 1e-9);
  EXPECT_EQ(CauseOf(layer), ErrorCause::kClipping);
}

// A wrong weight misses a peak, and no value is at an end.
TEST(ErrorCausesTest, WithoutValuesAtAnEndNothingIsClipped) {
  LayerComparison layer = LayerWith(3, 0.005);
  layer.shadow->ranges->float_max = 4;
  EXPECT_EQ(ErrorSharesOf(layer).clipping, 0);
}

TEST(ErrorCausesTest, ValuesAtAnEndThatFitAreNotClipped) {
  LayerComparison layer = LayerWith(0.3, kRounding);
  layer.shadow->codes->at_lowest = 500;  // as behind a ReLU
  EXPECT_EQ(ErrorSharesOf(layer).clipping, 0);
}

TEST(ErrorCausesTest, AWeightHandsItsNoiseOn) {
  LayerComparison layer = LayerWith(0.3, 0.03);
  layer.weights = {{"weight", {1}, Error(10)}};
  EXPECT_NEAR(*ErrorSharesOf(layer).weight, 1, 1e-9);
  EXPECT_EQ(CauseOf(layer), ErrorCause::kWeight);
  layer.weights[0].error.sqnr_db = 40;
  EXPECT_EQ(CauseOf(layer), ErrorCause::kUnexplained);
}

TEST(ErrorCausesTest, AMissingBiasIsToBlame) {
  LayerComparison layer = LayerWith(0.3, 0.03);
  // ReLU took most of the difference away.
  layer.bias = BiasComparison{0.09, true};
  EXPECT_EQ(CauseOf(layer), ErrorCause::kBias);
}

TEST(ErrorCausesTest, ACorrectedBiasIsNot) {
  LayerComparison layer = LayerWith(0.3, kRounding);
  layer.bias = BiasComparison{10 * kRounding, false};
  EXPECT_EQ(CauseOf(layer), ErrorCause::kRounding);
  layer = LayerWith(0.3, 0.03);
  layer.bias = BiasComparison{0.03, false};
  EXPECT_EQ(CauseOf(layer), ErrorCause::kBias);
}

// What a bias adds below 0 is not seen.
TEST(ErrorCausesTest, AWrongBiasUnderAReluIsToBlame) {
  LayerComparison layer = LayerWith(0.3, 0.03);
  layer.bias = BiasComparison{3 * 0.03, false};
  EXPECT_EQ(CauseOf(layer), ErrorCause::kUnexplained);
  layer.shadow->ranges = ValueRanges{0, 1, 0, 1};
  EXPECT_EQ(CauseOf(layer), ErrorCause::kBias);
  layer.bias->mean_squared_error = 5 * 0.03;
  EXPECT_EQ(CauseOf(layer), ErrorCause::kUnexplained);
  // A quarter of the values is not 0.
  layer.shadow->codes->at_lowest = 750;
  EXPECT_EQ(CauseOf(layer), ErrorCause::kBias);
  layer.bias->mean_squared_error = 9 * 0.03;
  EXPECT_EQ(CauseOf(layer), ErrorCause::kUnexplained);
}

TEST(ErrorCausesTest, ABiasUnderAReluThatTheQuantizedLayerLacksIsNotToBlame) {
  LayerComparison layer = LayerWith(0.3, 0.03);
  layer.bias = BiasComparison{3 * 0.03, false};
  layer.shadow->ranges = ValueRanges{0, 1, -1, 1};
  layer.shadow->codes->at_lowest = 750;
  EXPECT_EQ(CauseOf(layer), ErrorCause::kUnexplained);
}

TEST(ErrorCausesTest, BiasesOfRecurrentLayersAreNotCorrected) {
  LayerComparison layer = LayerWith(0.3, 0.03);
  layer.bias = BiasComparison{9 * 0.03, false};
  layer.weights = {{"weight_ih_l0", {1}, Error(45)},
                   {"weight_hh_l0", {1}, Error(45)}};
  EXPECT_EQ(CauseOf(layer), ErrorCause::kBias);
}

TEST(ErrorCausesTest, AKernelThatDiffersFromItsReferenceIsToBlame) {
  LayerComparison layer = LayerWith(0.3, 0.03);
  layer.kernel = Figures(10);
  EXPECT_EQ(CauseOf(layer), ErrorCause::kKernel);
  layer.kernel = Figures(kInfinity);
  EXPECT_EQ(CauseOf(layer), ErrorCause::kUnexplained);
}

TEST(ErrorCausesTest, SaturationIsWhatWouldNotBeThereWithoutIt) {
  LayerComparison layer = LayerWith(0.3, 0.03);
  layer.saturation.emplace();
  layer.saturation->shadow_sqnr_db = 30;
  EXPECT_NEAR(*ErrorSharesOf(layer).saturation, 0.99, 1e-9);
  EXPECT_EQ(CauseOf(layer), ErrorCause::kSaturation);
}

TEST(ErrorCausesTest, TheWeightOfAnotherLayerIsToBlame) {
  LayerComparison layer = LayerWith(0.3, 0.9);
  layer.has_weight_of = "fc2";
  layer.weights = {{"weight", {1}, Error(-3)}};
  EXPECT_EQ(CauseOf(layer), ErrorCause::kSwapped);
}

TEST(ErrorCausesTest, DynamicOpsRoundTheirInputs) {
  LayerComparison layer = LayerWith(0.3, 0.03);
  layer.qparams.reset();
  layer.runs_in = RunsIn::kInt8Weights;
  EXPECT_EQ(CauseOf(layer), ErrorCause::kRounding);
  // A weight of float16 does not.
  layer.runs_in = RunsIn::kHalfWeights;
  EXPECT_EQ(CauseOf(layer), ErrorCause::kUnexplained);
}

TEST(ErrorCausesTest, ExactLayersHaveNoCause) {
  EXPECT_EQ(CauseOf(Broken("fc", 20, kInfinity, 20)), ErrorCause::kNone);
  EXPECT_EQ(CauseOf(Layer("fc", 20)), ErrorCause::kNone);
}

TEST(ErrorCausesTest, WithoutFiguresNothingIsExplained) {
  EXPECT_EQ(CauseOf(Broken("fc", 20, 10, 20)), ErrorCause::kUnexplained);
  EXPECT_EQ(CauseOf(Broken("fc", 20, kNan, 20)), ErrorCause::kUnexplained);
}

TEST(ErrorCausesTest, MistakesAreNoMatterOfDegree) {
  EXPECT_TRUE(IsMatterOfDegree(ErrorCause::kClipping));
  EXPECT_TRUE(IsMatterOfDegree(ErrorCause::kUnexplained));
  EXPECT_FALSE(IsMatterOfDegree(ErrorCause::kBias));
  EXPECT_FALSE(IsMatterOfDegree(ErrorCause::kNeverCalibrated));
}

}  // namespace
}  // namespace ns
