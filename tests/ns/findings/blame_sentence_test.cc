#include "ns/findings/blame_sentence.h"

#include <optional>
#include <string>
#include <utility>

#include "gtest/gtest.h"
#include "ns/findings/blame.h"
#include "ns/findings/error_causes.h"
#include "ns/result/comparison_result.h"
#include "tests/ns/report/clipping_results.h"
#include "tests/ns/report/table_results.h"

namespace ns {
namespace {

// Returns the sentence that blames `layer`, the only one, for `cause`.
std::string Blaming(LayerComparison layer, ErrorCause cause) {
  return BlameSentence(WithShadows({std::move(layer)}), Blame{0, cause});
}

// A layer "fc" with a local SQNR of 9 dB.
LayerComparison Fc() { return Broken("fc", 8, 9, 30); }

TEST(BlameSentenceTest, ABiasIsOffByTheRootOfTheMeanSquare) {
  LayerComparison layer = Fc();
  layer.bias = BiasComparison{0.09, /*is_missing=*/false};
  EXPECT_EQ(Blaming(layer, ErrorCause::kBias),
            "fc is to blame (9.0 dB by itself): its bias is off by 0.3 "
            "(root of the mean square).");
}

TEST(BlameSentenceTest, ABiasThatIsMissingHasNoFigure) {
  LayerComparison layer = Fc();
  layer.bias = BiasComparison{0.09, /*is_missing=*/true};
  EXPECT_EQ(Blaming(layer, ErrorCause::kBias),
            "fc is to blame (9.0 dB by itself): it has no bias, and the "
            "float layer has one.");
}

TEST(BlameSentenceTest, AWeightHasTheLowestFigureOfAll) {
  LayerComparison layer = Fc();
  layer.weights = {{"weight_ih_l0", {1}, Error(40)},
                   {"weight_hh_l0", {1}, Error(8.5)}};
  EXPECT_EQ(Blaming(layer, ErrorCause::kWeight),
            "fc is to blame (9.0 dB by itself): its weight has 8.5 dB.");
}

TEST(BlameSentenceTest, AWeightNamesTheWorstOutputChannel) {
  LayerComparison layer = WithWeight(Fc(), 8.5);
  layer.shadow->worst_channels = {{7, 2.0}, {3, 4.0}};
  EXPECT_EQ(Blaming(layer, ErrorCause::kWeight),
            "fc is to blame (9.0 dB by itself): its weight has 8.5 dB, most "
            "of all in output channel 7.");
}

// From 3 dB above the local SQNR on, the figure of the weight does not show
// what it does.
TEST(BlameSentenceTest, TheShareOfAWeightIsSaidWhereItsFigureDoesNotShowIt) {
  LayerComparison layer = WithWeight(Fc(), 12);
  layer.measured_shares = PartShares{0.96, 0.04};
  EXPECT_EQ(Blaming(layer, ErrorCause::kWeight),
            "fc is to blame (9.0 dB by itself): its weight has 12.0 dB and "
            "makes 96.0 % of the error.");
  layer.weights[0].error.sqnr_db = 11.9;
  EXPECT_EQ(Blaming(layer, ErrorCause::kWeight),
            "fc is to blame (9.0 dB by itself): its weight has 11.9 dB.");
}

TEST(BlameSentenceTest, ASmallShareHasTwoDigits) {
  LayerComparison layer = WithWeight(Fc(), 30);
  layer.measured_shares = PartShares{0.0096, 0.04};
  EXPECT_EQ(Blaming(layer, ErrorCause::kWeight),
            "fc is to blame (9.0 dB by itself): its weight has 30.0 dB and "
            "makes 0.96 % of the error.");
}

TEST(BlameSentenceTest, AShareAboveOneIsAllOfTheError) {
  LayerComparison layer = WithWeight(Fc(), 30);
  layer.measured_shares = PartShares{1.3, 0.04};
  EXPECT_EQ(Blaming(layer, ErrorCause::kWeight),
            "fc is to blame (9.0 dB by itself): its weight has 30.0 dB and "
            "makes all of the error, of which a corrected bias or a clamp "
            "takes back some.");
}

TEST(BlameSentenceTest, AShareThatWasNotMeasuredIsNotSaid) {
  LayerComparison layer = WithWeight(Fc(), 30);
  layer.measured_shares = PartShares{std::nullopt, 0.04};
  EXPECT_EQ(Blaming(layer, ErrorCause::kWeight),
            "fc is to blame (9.0 dB by itself): its weight has 30.0 dB.");
}

TEST(BlameSentenceTest, TheFigureOfTheWeightAloneReplacesItsShare) {
  LayerComparison layer = WithWeight(Fc(), 30);
  layer.measured_shares = PartShares{0.96, 0.04};
  layer.weight_only = Error(9.2);
  EXPECT_EQ(Blaming(layer, ErrorCause::kWeight),
            "fc is to blame (9.0 dB by itself): its weight has 30.0 dB and "
            "alone brings its output to 9.2 dB.");
}

TEST(BlameSentenceTest, ClippingHasItsShareAndBothRanges) {
  EXPECT_EQ(Blaming(Clipping("fc", 5, {}), ErrorCause::kClipping),
            "fc is to blame (5.0 dB by itself): 10.0 % of its values are "
            "clipped to its range, which is -1 to 1 where the float values are "
            "-1 to 4.004.");
}

TEST(BlameSentenceTest, ARangeHasItsScaleAndHowMuchTooWideItIs) {
  LayerComparison layer = Fc();
  layer.qparams = LayerQParams{0.1, 0};
  layer.shadow->codes = CodeUse{0, 0, 200};
  layer.shadow->ranges = ValueRanges{-1, 4.1, -1, 4.1};
  EXPECT_EQ(Blaming(layer, ErrorCause::kRange),
            "fc is to blame (9.0 dB by itself): its scale, 0.1, makes a "
            "range 5.0 times as wide as its values need.");
}

TEST(BlameSentenceTest, AKernelHasItsFigure) {
  LayerComparison layer = Fc();
  layer.kernel = Figures(11);
  EXPECT_EQ(Blaming(layer, ErrorCause::kKernel),
            "fc is to blame (9.0 dB by itself): its kernel has 11.0 dB "
            "against a reference kernel.");
}

TEST(BlameSentenceTest, SaturationHasItsCostAndTheEmulatedKernels) {
  LayerComparison layer = Fc();
  layer.saturation.emplace();
  layer.saturation->shadow_cost_db = 21.26;
  ComparisonResult result = WithShadows({layer});
  result.emulated = "fbgemm-avx2";
  EXPECT_EQ(BlameSentence(result, Blame{0, ErrorCause::kSaturation}),
            "fc is to blame (9.0 dB by itself): saturating sums cost it "
            "21.3 dB on fbgemm-avx2.");
}

TEST(BlameSentenceTest, RoundingAndMissingCalibrationHaveNoFigure) {
  EXPECT_EQ(Blaming(Fc(), ErrorCause::kRounding),
            "fc is to blame (9.0 dB by itself): its values lose this by "
            "rounding to 8 bits, in a range that fits.");
  EXPECT_EQ(Blaming(Fc(), ErrorCause::kNeverCalibrated),
            "fc is to blame (9.0 dB by itself): it was never calibrated: "
            "its scale is 1 and its zero point 0, with which observers "
            "start.");
}

TEST(BlameSentenceTest, ALayerMakesNanOrLosesInfinities) {
  LayerComparison layer = Broken("log", kNan, kNan, 20);
  layer.shadow->non_finite = NonFiniteCounts{0, 0, 3, 0};
  EXPECT_EQ(Blaming(layer, ErrorCause::kNonFinite),
            "log is to blame (nan dB by itself): it makes NaN or infinities "
            "where its float form has numbers.");
  LayerComparison mask = Broken("mask", kNan, kNan, 20);
  mask.shadow->non_finite = NonFiniteCounts{0, 3, 0, 0};
  EXPECT_EQ(Blaming(mask, ErrorCause::kNonFinite),
            "mask is to blame (nan dB by itself): it turns infinities into "
            "numbers, such as those of an attention mask, which its float "
            "form keeps.");
}

TEST(BlameSentenceTest, ASwappedLayerHasTheWeightOfAnother) {
  LayerComparison layer = Fc();
  layer.has_weight_of = "head";
  EXPECT_EQ(Blaming(layer, ErrorCause::kSwapped),
            "fc is to blame (9.0 dB by itself): it has the weight of head.");
}

TEST(BlameSentenceTest, ASwappedLayerRunsBeforeAnother) {
  ComparisonResult result = WithShadows({Fc(), Broken("head", 8, 9, 30)});
  result.swapped = {"fc", "head"};
  EXPECT_EQ(BlameSentence(result, Blame{0, ErrorCause::kSwapped}),
            "fc is to blame (9.0 dB by itself): it runs before head, and "
            "after it in the float model.");
}

TEST(BlameSentenceTest, AConcatenationNamesTheInputThatIsLost) {
  LayerComparison scores = Broken("sigmoid", 5, 5, 50);
  scores.activation->ranges = ValueRanges{0, 1, 0, 2.5};
  scores.qparams = LayerQParams{2.5, 0};
  LayerComparison boxes = Broken("mul", 40, 40, 50);
  boxes.activation->ranges = ValueRanges{0, 640, 0, 637.5};
  LayerComparison cat = Broken("cat", 45, kInfinity, 45, {0, 1});
  cat.family = "cat";
  cat.qparams = LayerQParams{2.5, 0};
  EXPECT_EQ(BlameSentence(WithShadows({scores, boxes, cat}),
                          Blame{2, ErrorCause::kUnbalancedInputs}),
            "cat is to blame: its inputs share one range, but the largest "
            "spreads 640 times as wide as sigmoid, which is left with 5.0 "
            "dB.");
}

// What is said of an input of 100 values, with a range of 0 to 1.
std::string BlamingInput(const ValueRanges& values, const CodeUse& codes) {
  LayerComparison input = Broken("x", 10, 10, 50);
  input.float_side = {};
  input.shadow->elements = 100;
  input.shadow->ranges = values;
  input.shadow->codes = codes;
  input.qparams = LayerQParams{1. / 255, 0};
  return Blaming(input, ErrorCause::kInputMismatch);
}

TEST(BlameSentenceTest, InputsDifferFromThoseOfCalibrationInSizeOrPlace) {
  const std::string start = "x is to blame (10.0 dB by itself): the inputs ";
  EXPECT_EQ(BlamingInput({0, 255, 0, 1}, {1, 99, 254}),
            start +
                "go from 0 to 255, which is 255 times as wide as the range "
                "that the model was calibrated for.");
  EXPECT_EQ(BlamingInput({0, 0.01, 0, 0.01}, {50, 0, 252}),
            start +
                "go from 0 to 0.01, and the range that the model was "
                "calibrated for is 100 times as wide.");
  // Widths that are alike are not to blame, whichever of them is the smaller.
  EXPECT_EQ(BlamingInput({-0.9, 0, 0, 0}, {100, 0, 255}),
            start +
                "go from -0.9 to 0, and 100.0 % of them are beyond the "
                "range that the model was calibrated for.");
  EXPECT_EQ(BlamingInput({-1.5, 0.5, 0, 0.5}, {75, 0, 127}),
            start +
                "go from -1.5 to 0.5, and 75.0 % of them are beyond the "
                "range that the model was calibrated for.");
}

TEST(BlameSentenceTest, WhatIsUnexplainedNamesWhatWasCompared) {
  LayerComparison layer = Fc();
  const std::string start = "fc is to blame (9.0 dB by itself): ";
  const std::string parts =
      "; --parts measures what the weight and the activations do alone.";
  EXPECT_EQ(Blaming(layer, ErrorCause::kUnexplained),
            start + "no figure explains it" + parts);
  layer.weights = {{"weight", {1}, Error(40)}};
  EXPECT_EQ(Blaming(layer, ErrorCause::kUnexplained),
            start + "its weight does not explain it" + parts);
  layer.bias = BiasComparison{0, /*is_missing=*/false};
  EXPECT_EQ(Blaming(layer, ErrorCause::kUnexplained),
            start + "neither weight nor bias explains it" + parts);
  layer.qparams = LayerQParams{0.1, 0};
  EXPECT_EQ(
      Blaming(layer, ErrorCause::kUnexplained),
      start + "neither weight, bias, scale nor clipping explains it" + parts);
}

TEST(BlameSentenceTest, WhereThePartsAreKnownOnlyTheKernelIsLeft) {
  LayerComparison layer = WithWeight(Fc(), 40);
  layer.measured_shares = PartShares{0.1, 0.1};
  EXPECT_EQ(Blaming(layer, ErrorCause::kUnexplained),
            "fc is to blame (9.0 dB by itself): its weight does not explain "
            "it; --what=weights,activations,shadows,kernel shows whether the "
            "kernel does.");
}

TEST(BlameSentenceTest, WhereAllIsKnownNothingIsSuggested) {
  LayerComparison layer = WithWeight(Fc(), 40);
  layer.kernel = Figures(60);
  EXPECT_EQ(Blaming(layer, ErrorCause::kUnexplained),
            "fc is to blame (9.0 dB by itself): no figure explains it.");
}

TEST(BlameSentenceTest, WithoutAShadowThereIsNoFigureOfTheLayer) {
  const ComparisonResult result = Result({Layer("fc", 8, {4})});
  EXPECT_EQ(BlameSentence(result, Blame{0, ErrorCause::kWeight}),
            "fc is to blame: its weight has 4.0 dB.");
}

TEST(BlameSentenceTest, NamesTheOutputThatHasTheError) {
  LayerComparison layer = Broken("lstm", 40, 40, 50);
  layer.output = "output";
  layer.outputs = {Output("h_n", 12, 14, 50), Output("c_n", 5, 6, 50)};
  layer.kernel = Figures(60);
  EXPECT_EQ(Blaming(layer, ErrorCause::kUnexplained),
            "lstm (c_n) is to blame (6.0 dB by itself): no figure explains "
            "it.");
}

TEST(BlameSentenceTest, SaysWhatFlowsInInsteadOfWhat) {
  LayerComparison layer = Broken("pool", 8, 9, 30);
  layer.weights.clear();
  layer.family = "adaptive_avg_pool2d";
  layer.quantized_side.op = "aten::adaptive_avg_pool2d";
  layer.qparams = LayerQParams{0.1, 0};
  layer.shadow->codes = CodeUse{0, 0, 200};
  layer.shadow->ranges = ValueRanges{-1, 4.1, -1, 4.1};
  layer.replaced_input = "aten::relu6 flows in instead of aten::relu";
  EXPECT_EQ(Blaming(layer, ErrorCause::kRange),
            "pool is to blame (9.0 dB by itself): its scale, 0.1, makes a "
            "range 5.0 times as wide as its values need; aten::relu6 flows in "
            "instead of aten::relu.");
}

// One model writes out an activation that the other has an op for: what follows
// has a wrong range of its own.
TEST(BlameSentenceTest, ARangeOfItsOwnIsNotThatOfWhatFlowsIn) {
  LayerComparison layer = Broken("pool.quantize", 8, 9, 30);
  layer.weights.clear();
  layer.family = "adaptive_avg_pool2d";
  layer.quantized_side.op = "aten::quantize_per_tensor";
  layer.qparams = LayerQParams{0.1, 0};
  layer.shadow->codes = CodeUse{0, 0, 200};
  layer.shadow->ranges = ValueRanges{-1, 4.1, -1, 4.1};
  layer.replaced_input = "aten::mul flows in instead of aten::silu";
  EXPECT_EQ(Blaming(layer, ErrorCause::kRange),
            "pool.quantize is to blame (9.0 dB by itself): its scale, 0.1, "
            "makes a range 5.0 times as wide as its values need.");
}

TEST(BlameSentenceTest, ControlCharactersInNamesAreEscaped) {
  LayerComparison layer = Broken("f\nc", 8, 9, 30);
  layer.has_weight_of = "he\x1b[31mad";
  const std::string sentence = Blaming(layer, ErrorCause::kSwapped);
  EXPECT_EQ(sentence.find('\n'), std::string::npos) << sentence;
  EXPECT_EQ(sentence.find('\x1b'), std::string::npos) << sentence;
}

}  // namespace
}  // namespace ns
