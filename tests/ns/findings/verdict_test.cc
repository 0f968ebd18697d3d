#include "ns/findings/verdict.h"

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/ns/report/clipping_results.h"
#include "tests/ns/report/table_results.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

TEST(VerdictTest, NothingMeasuredHasNone) {
  EXPECT_FALSE(VerdictOf(WithShadows({})).has_value());
  EXPECT_FALSE(VerdictOf(Result({Layer("fc", 20)})).has_value());
}

TEST(VerdictTest, InputsThatAreNoNumbersBlameNoLayer) {
  ComparisonResult result = WithShadows({Broken("fc", 10, 10, 20)});
  result.inputs_are_finite = false;
  EXPECT_FALSE(VerdictOf(result).has_value());
}

TEST(VerdictTest, TellsTheShareOfTheOutputsError) {
  ComparisonResult result =
      WithShadows({Broken("stft", 26, 26, 60), Broken("fc", 25, 35, 25)});
  result.layers[0].output_share = 0.75;
  result.layers[1].output_share = 0.2;
  EXPECT_THAT(VerdictOf(result)->sentences[0],
              StartsWith("stft makes 75 % of the output's error (26.0 dB by "
                         "itself): "));
  result.layers[0].shadow = Figures(36);
  EXPECT_EQ(VerdictOf(result)->sentences[0],
            "No layer stands out: the largest part of the output's error, 75 "
            "%, comes from stft (36.0 dB by itself).");
}

// A model of 7 bits in which no layer stands out.
ComparisonResult ReducedModel() {
  LayerComparison layer = Broken("fc", 25, 35, 25);
  layer.qparams = LayerQParams{4.0 / 255, 64};
  layer.shadow->ranges = ValueRanges{-1, 1, -1, 1};
  layer.shadow->codes = CodeUse{0, 0, 128};
  ComparisonResult result = WithShadows({layer, layer, layer});
  result.model_outputs.push_back({"output", "", "", Figures(21)});
  return result;
}

TEST(VerdictTest, AnErrorThatNothingExplainsIsOneToMendWhereItIsLarge) {
  for (const double db : {2.0, 4.0}) {
    const ComparisonResult result = WithShadows({Broken("attn", db, db, 60)});
    Verdict verdict;
    verdict.layer = 0;
    verdict.cause = ErrorCause::kUnexplained;
    EXPECT_EQ(NamesCulprit(result, verdict), db < 3) << db;
  }
}

TEST(VerdictTest, WhereNoLayerStandsOutTheModelMayHaveACause) {
  const ComparisonResult result = ReducedModel();
  const auto verdict = VerdictOf(result);
  ASSERT_TRUE(verdict.has_value());
  EXPECT_FALSE(verdict->layer.has_value());
  EXPECT_EQ(verdict->cause, ErrorCause::kReducedRange);
  EXPECT_THAT(verdict->sentences[0], StartsWith("All 3 activations have 7 "));
  EXPECT_THAT(verdict->sentences[1], StartsWith("No layer stands out"));
  EXPECT_TRUE(SaysWhatToDo(result, *verdict));
  EXPECT_FALSE(NamesCulprit(result, *verdict));
}

TEST(VerdictTest, TrainingModeIsToldWhereNoLayerStandsOut) {
  ComparisonResult result = WithShadows({Broken("fc", 35, 35, 40)});
  result.in_training_mode = {"f.pt"};
  EXPECT_EQ(VerdictOf(result)->cause, ErrorCause::kTrainingMode);
  EXPECT_THAT(VerdictOf(result)->sentences[0],
              StartsWith("f.pt was saved in training mode"));
  result = WithShadows({Broken("fc", 5, 5, 40)});
  result.in_training_mode = {"f.pt"};
  EXPECT_TRUE(VerdictOf(result)->layer.has_value());
}

TEST(VerdictTest, AStateThatDegradesFromTripToTripIsNamed) {
  LayerComparison layer = Broken("add", 14, 22, 14);
  layer.activation->trip_sqnr_db = {32, 25, 20, 14};
  const auto verdict = VerdictOf(WithShadows({layer}));
  EXPECT_EQ(verdict->cause, ErrorCause::kRecurrentState);
  EXPECT_THAT(verdict->sentences[0],
              HasSubstr("32.0 dB in the first of 4 steps, and 14.0 dB in"));
}

TEST(VerdictTest, BlamesTheWorstLayerAndSaysWhy) {
  const auto verdict =
      VerdictOf(WithShadows({WithWeight(Broken("conv", 30, 30, 50), 40),
                             WithWeight(Broken("fc", 8, 9, 30, {0}), 8.5)}));
  ASSERT_TRUE(verdict.has_value());
  EXPECT_EQ(verdict->layer, 1);
  EXPECT_EQ(verdict->cause, ErrorCause::kWeight);
  EXPECT_THAT(
      verdict->sentences,
      ElementsAre("fc is to blame (9.0 dB by itself): its weight has 8.5 "
                  "dB.",
                  "Local errors explain every fall of the accumulated SQNR.",
                  "No layer clips more than 0.10 % of its values."));
}

TEST(VerdictTest, SaysWhatTheWeightAloneDoes) {
  LayerComparison layer = WithWeight(Broken("fc", 8, 9, 30), 35);
  // Neither explains the error until more is measured.
  EXPECT_THAT(VerdictOf(WithShadows({layer}))->sentences[0],
              HasSubstr("--parts measures what the weight"));
  layer.measured_shares = PartShares{0.1, 0.001};
  EXPECT_THAT(VerdictOf(WithShadows({layer}))->sentences[0],
              HasSubstr("shows whether the kernel does"));
  layer.measured_shares->weight = 0.9;
  auto verdict = VerdictOf(WithShadows({layer}));
  EXPECT_EQ(verdict->cause, ErrorCause::kWeight);
  EXPECT_EQ(verdict->sentences[0],
            "fc is to blame (9.0 dB by itself): its weight has 35.0 dB and "
            "makes 90.0 % of the error.");
  // What flags add makes the sentence richer.
  layer.weight_only = Error(9.5);
  verdict = VerdictOf(WithShadows({layer}));
  EXPECT_EQ(verdict->cause, ErrorCause::kWeight);
  EXPECT_EQ(verdict->sentences[0],
            "fc is to blame (9.0 dB by itself): its weight has 35.0 dB and "
            "alone brings its output to 9.5 dB.");
}

TEST(VerdictTest, OnlyWhatWasComparedIsSaidToExplainNothing) {
  LayerComparison layer = Broken("gru", 8, 9, 30);
  const auto sentence = [&layer] {
    return VerdictOf(WithShadows({layer}))->sentences[0];
  };
  EXPECT_THAT(sentence(),
              HasSubstr("by itself): no figure explains it; --parts"));
  layer = WithWeight(layer, 45);
  EXPECT_THAT(sentence(), HasSubstr("its weight does not explain it; --parts"));
  layer.bias = BiasComparison{0, false};
  EXPECT_THAT(sentence(), HasSubstr("neither weight nor bias explains it; "));
  layer.qparams = LayerQParams{0.1, 0};
  EXPECT_THAT(
      sentence(),
      HasSubstr("neither weight, bias, scale nor clipping explains it; "));
}

TEST(VerdictTest, NamesTheFirstFallThatNothingExplains) {
  const auto verdict = VerdictOf(WithShadows(
      {Broken("conv", 40, 40, 50), Broken("add", 10, 45, 20, {0})}));
  ASSERT_THAT(verdict->sentences, SizeIs(3));
  EXPECT_THAT(verdict->sentences[1],
              StartsWith("The first fall that no local error explains is at "
                         "add: 10.0 dB accumulated, 38.8 dB expected"));
}

TEST(VerdictTest, AModelWithoutCalibrationIsCalledSo) {
  LayerComparison conv = Broken("conv", 3, 3, 50);
  conv.qparams = LayerQParams{1, 0};
  conv.shadow->codes = CodeUse{0, 0, 250};
  conv.shadow->ranges = ValueRanges{-1, 1, 0, 1};
  LayerComparison fc = Broken("fc", 1, 3, 50, {0});
  fc.qparams = LayerQParams{1, 0};
  const auto verdict = VerdictOf(WithShadows({conv, fc}));
  EXPECT_EQ(verdict->cause, ErrorCause::kNeverCalibrated);
  EXPECT_EQ(verdict->layer, 0);
  EXPECT_THAT(verdict->sentences[0],
              StartsWith("The model was never calibrated: all 2 quantized "
                         "activations have scale 1 and zero point 0"));
  // Not that of a layer, too, for the same reason.
  EXPECT_THAT(verdict->sentences[1], StartsWith("Local errors explain"));
  // One observer that no data reached.
  fc.qparams = LayerQParams{0.1, 0};
  const auto of_layer = VerdictOf(WithShadows({conv, fc}));
  EXPECT_EQ(of_layer->cause, ErrorCause::kNeverCalibrated);
  EXPECT_EQ(of_layer->layer, 0);
  EXPECT_THAT(of_layer->sentences[0],
              HasSubstr("conv is to blame (3.0 dB by itself): it was never "
                        "calibrated"));
}

TEST(VerdictTest, ExchangedAxesComeBeforeWhatFollowsThem) {
  ComparisonResult result =
      WithShadows({Broken("linear_Q", -2.3, 40, -2), Clipping("fc", 5, {0})});
  result.layers[0].exchanged_axes = AxisExchange{0, 1, 38.1};
  auto verdict = VerdictOf(result);
  EXPECT_EQ(verdict->layer, 0);
  EXPECT_EQ(verdict->cause, ErrorCause::kAxisOrder);
  EXPECT_THAT(verdict->sentences,
              ElementsAre("linear_Q has its axes 0 and 1 exchanged: it has "
                          "-2.3 dB, and 38.1 dB with them changed back."));
  EXPECT_TRUE(NamesCulprit(result, *verdict));
  // Of an output alone, the model is to blame.
  result.layers[0].exchanged_axes.reset();
  result.exchanged_outputs.push_back({"output", {1, 2, 30}});
  verdict = VerdictOf(result);
  EXPECT_FALSE(verdict->layer.has_value());
  EXPECT_THAT(verdict->sentences,
              ElementsAre("output has its axes 1 and 2 exchanged: it has 30.0 "
                          "dB with them changed back."));
  EXPECT_TRUE(SaysWhatToDo(result, *verdict));
}

TEST(VerdictTest, NamesTheConcatenationThatLosesAnInput) {
  LayerComparison scores = Broken("sigmoid", 5, 5, 50);
  scores.activation->ranges = ValueRanges{0, 1, 0, 2.5};
  scores.qparams = LayerQParams{2.5, 0};
  LayerComparison boxes = Broken("mul", 40, 40, 50);
  boxes.activation->ranges = ValueRanges{0, 640, 0, 637.5};
  LayerComparison cat = Broken("cat", 45, INFINITY, 45, {0, 1});
  cat.family = "cat";
  cat.qparams = LayerQParams{2.5, 0};
  const auto verdict = VerdictOf(WithShadows({scores, boxes, cat}));
  EXPECT_EQ(verdict->layer, 2);
  EXPECT_EQ(verdict->cause, ErrorCause::kUnbalancedInputs);
  EXPECT_THAT(
      verdict->sentences[0],
      StartsWith("cat is to blame: its inputs share one range, but the "
                 "largest spreads 640 times as wide as sigmoid, which is left "
                 "with 5.0 dB"));
}

// A ReLU between them was lost.
ComparisonResult WithLostRelu(double local) {
  LayerComparison behind = Broken("conv2", -1, 40, -1, {0});
  behind.unpaired_input =
      "its input in the float model comes from 'relu' (aten::relu), which has "
      "no counterpart in the quantized model";
  return WithShadows(
      {Broken("conv1", 24, local, 50), behind, Broken("fc", -2, 38, -2, {1})});
}

// ReLU6 took the place of a ReLU.
TEST(VerdictTest, AReplacedOpMayDoMostHarm) {
  LayerComparison behind = Broken("conv2", -1, 40, -1, {0});
  behind.replaced_input = "its input comes from 'a' and from 'b'";
  const auto verdict =
      VerdictOf(WithShadows({Broken("conv1", 24, 15, 50), behind}));
  EXPECT_EQ(verdict->layer, 1);
  EXPECT_EQ(verdict->cause, ErrorCause::kUnpaired);
  EXPECT_EQ(verdict->sentences[0],
            "conv2 falls to -1.0 dB accumulated, 23.9 dB expected: its input "
            "comes from 'a' and from 'b'.");
  EXPECT_EQ(verdict->sentences[2],
            "Local errors explain every other fall of the accumulated SQNR.");
}

// Models of other shapes have no shadow there.
TEST(VerdictTest, AFallWithoutALocalErrorHasNoExpectedFigure) {
  LayerComparison behind = Broken("conv2", -1, 40, -1, {0});
  behind.shadow.reset();
  behind.replaced_input = "its input comes from 'a' and from 'b'";
  const auto verdict =
      VerdictOf(WithShadows({Broken("conv1", 24, 15, 50), behind}));
  EXPECT_EQ(verdict->cause, ErrorCause::kUnpaired);
  EXPECT_EQ(verdict->sentences[0],
            "conv2 falls to -1.0 dB accumulated: its input comes from 'a' and "
            "from 'b'.");
}

TEST(VerdictTest, WhatOnlyOneModelHasMayDoMostHarm) {
  auto verdict = VerdictOf(WithLostRelu(24));
  EXPECT_EQ(verdict->layer, 1);
  EXPECT_EQ(verdict->cause, ErrorCause::kUnpaired);
  EXPECT_EQ(verdict->sentences[0],
            "conv2 falls to -1.0 dB accumulated, 23.9 dB expected: its input "
            "in the float model comes from 'relu' (aten::relu), which has no "
            "counterpart in the quantized model.");
  EXPECT_THAT(verdict->sentences[1],
              StartsWith("conv1 is to blame (24.0 dB by itself)"));
  EXPECT_EQ(verdict->sentences[2],
            "Local errors explain every other fall of the accumulated SQNR.");
  // Without a layer to blame, it is all there is to say.
  verdict = VerdictOf(WithLostRelu(35));
  EXPECT_EQ(verdict->layer, 1);
  EXPECT_THAT(verdict->sentences[1], StartsWith("Local errors explain"));
}

// What falls there does not reach the outputs: the two layers may compute other
// values, as where only one model splits its input.
TEST(VerdictTest,
     WhatOnlyOneModelHasIsNoMatterWhereTheOutputsHaveNoLargeError) {
  ComparisonResult result = WithLostRelu(35);
  result.model_outputs.push_back({"output", "", "", Figures(19)});
  EXPECT_EQ(VerdictOf(result)->cause, ErrorCause::kUnpaired);
  result.model_outputs[0].figures = Figures(20);
  const auto verdict = VerdictOf(result);
  EXPECT_EQ(verdict->cause, ErrorCause::kNone);
  EXPECT_THAT(verdict->sentences[0], StartsWith("No layer stands out"));
  EXPECT_THAT(verdict->sentences[1], StartsWith("conv2 falls to -1.0 dB"));
}

// That more is known of the layer that loses most does not make it worse.
TEST(VerdictTest, WhatOnlyOneModelHasMayDoMoreHarmThanOutliers) {
  ComparisonResult result = WithLostRelu(24);
  result.layers[0].shadow->channels = ChannelSummary{64, 1, 60};
  const auto verdict = VerdictOf(result);
  EXPECT_EQ(verdict->layer, 1);
  EXPECT_EQ(verdict->cause, ErrorCause::kUnpaired);
  EXPECT_THAT(verdict->sentences[1],
              HasSubstr("conv1 is to blame: 60 of its 64 channels"));
}

TEST(VerdictTest, ABrokenLayerIsBlamedBeforeWhatOnlyOneModelHas) {
  const auto verdict = VerdictOf(WithLostRelu(8));
  EXPECT_EQ(verdict->layer, 0);
  EXPECT_THAT(verdict->sentences[0], StartsWith("conv1 is to blame (8.0"));
  EXPECT_THAT(verdict->sentences[1],
              StartsWith("conv2 falls to -1.0 dB accumulated"));
}

TEST(VerdictTest, LayersThatFactorsWereMovedBetweenAreNotBlamed) {
  const auto verdict = VerdictOf(WithShadows(
      {Broken("ln", 3, 3, 40), WithWeight(Broken("fc", 33, -7, 2, {0}), -7)}));
  EXPECT_FALSE(verdict->layer.has_value());
  EXPECT_EQ(verdict->cause, ErrorCause::kRescaled);
  EXPECT_EQ(verdict->sentences[0],
            "What ln, fc lose by themselves is taken back after them, as "
            "where factors were moved between layers.");
}

TEST(VerdictTest, LayersInAnotherOrderSayItAll) {
  ComparisonResult result = WithLostRelu(35);
  result.swapped = {"conv2", "fc"};
  const auto verdict = VerdictOf(result);
  EXPECT_EQ(verdict->cause, ErrorCause::kSwapped);
  EXPECT_THAT(verdict->sentences, SizeIs(3));
}

TEST(VerdictTest, ExactLayersDoNotDiffer) {
  EXPECT_EQ(VerdictOf(WithShadows({Broken("fc", INFINITY, INFINITY, INFINITY)}))
                ->sentences[0],
            "No layer differs from its float form.");
}

TEST(VerdictTest, NanIsNotTakenForNoError) {
  EXPECT_EQ(VerdictOf(WithShadows({Broken("fc", NAN, NAN, NAN)}))->sentences[0],
            "No figure shows which layer does harm.");
}

TEST(VerdictTest, GoodLayersAreNotBlamed) {
  LayerComparison layer = Broken("fc", 35, 36, 40);
  layer.quantized_side.op = "quantized::linear_dynamic";
  const auto verdict = VerdictOf(WithShadows({layer}));
  ASSERT_TRUE(verdict.has_value());
  EXPECT_FALSE(verdict->layer.has_value());
  EXPECT_EQ(verdict->cause, ErrorCause::kNone);
  EXPECT_EQ(verdict->sentences[0],
            "No layer stands out: the lowest shadow SQNR is 36.0 dB, of fc.");
}

TEST(VerdictTest, WhatAClampCutsOffIsNotTheLowest) {
  LayerComparison clamp = Broken("clamp", 34, INFINITY, 3);
  clamp.family = "hardtanh";
  clamp.producers = {0};
  ComparisonResult result =
      WithShadows({Broken("conv", 3, 3, 34), clamp, Broken("fc", 33, 36, 34)});
  const auto verdict = VerdictOf(result);
  ASSERT_TRUE(verdict.has_value());
  EXPECT_EQ(verdict->cause, ErrorCause::kNone);
  EXPECT_EQ(verdict->sentences[0],
            "No layer stands out: what conv loses by itself, 3.0 dB, is cut "
            "off or taken back after it; the next is fc, with 36.0 dB.");
}

TEST(VerdictTest, TheFirstOfClippingLayersIsToBlame) {
  const auto verdict =
      VerdictOf(WithShadows({Clipping("quant", 8, {}), Clipping("fc1", 5, {0}),
                             Clipping("fc2", 3, {1})}));
  EXPECT_EQ(verdict->layer, 0);
  EXPECT_EQ(verdict->cause, ErrorCause::kClipping);
  EXPECT_THAT(verdict->sentences[0],
              HasSubstr("10.0 % of its values are clipped to its range, which "
                        "is -1 to 1 where the float values are -1 to 4"));
  EXPECT_THAT(verdict->sentences[2], StartsWith("3 layers clip more than"));
}

// Where few quantized values occur, a step is not told from them.
TEST(VerdictTest, AllSentencesTellOfTheSameClipping) {
  LayerComparison layer = Clipping("fc", 5, {});
  layer.shadow->codes->unused = 254;
  layer.shadow->ranges->float_max = 2 + 1. / 255;
  layer.shadow->error.mean_error = std::sqrt(0.5 * 0.1 / 3);
  const auto verdict = VerdictOf(WithShadows({layer}));
  EXPECT_EQ(verdict->cause, ErrorCause::kClipping);
  EXPECT_THAT(verdict->sentences[0],
              HasSubstr("10.0 % of its values are clipped"));
  EXPECT_THAT(verdict->sentences.back(), StartsWith("1 layer clips more than"));
}

// Behind a ReLU half of the values are 0, which is what they are.
TEST(VerdictTest, ValuesAtAnEndThatFitsAreNotToldAsClipped) {
  LayerComparison layer = Clipping("fc", 5, {});
  layer.shadow->codes->at_lowest = 50;
  EXPECT_THAT(VerdictOf(WithShadows({layer}))->sentences[0],
              HasSubstr("10.0 % of its values are clipped"));
}

TEST(VerdictTest, SwappedLayersAreNamed) {
  ComparisonResult result =
      WithShadows({Broken("fc2", 2, 40, 2), Broken("fc1", 2, 40, 2, {0})});
  result.swapped = {"fc2", "fc1"};
  auto verdict = VerdictOf(result);
  EXPECT_EQ(verdict->layer, 0);
  EXPECT_EQ(verdict->cause, ErrorCause::kSwapped);
  EXPECT_THAT(verdict->sentences[0],
              HasSubstr("it runs before fc1, and after it in the float "
                        "model"));
  result.swapped.reset();
  result.layers[1].shadow->error.sqnr_db = -1;
  result.layers[1].has_weight_of = "fc2";
  verdict = VerdictOf(result);
  EXPECT_EQ(verdict->layer, 1);
  EXPECT_EQ(verdict->cause, ErrorCause::kSwapped);
  EXPECT_THAT(verdict->sentences[0], HasSubstr("it has the weight of fc2"));
}

TEST(VerdictTest, WithoutShadowsWeightsAreJudged) {
  ComparisonResult result =
      Result({Layer("conv", {}, {40.}), Layer("fc", {}, {4.})});
  result.has_activations = false;
  auto verdict = VerdictOf(result);
  EXPECT_EQ(verdict->layer, 1);
  EXPECT_EQ(verdict->cause, ErrorCause::kWeight);
  EXPECT_THAT(verdict->sentences,
              ElementsAre("fc is to blame: its weight has 4.0 dB."));
  result.layers.pop_back();
  verdict = VerdictOf(result);
  EXPECT_THAT(verdict->sentences,
              ElementsAre("No layer stands out: the lowest weight SQNR is 40.0 "
                          "dB, of conv."));
}

TEST(VerdictTest, WithoutShadowsNobodyIsBlamedOrCleared) {
  ComparisonResult result = Result({Layer("conv", 2, {40.})});
  result.has_activations = true;
  const auto verdict = VerdictOf(result);
  EXPECT_FALSE(verdict->layer.has_value());
  EXPECT_EQ(verdict->sentences[0],
            "Shadows show which layer does harm, and were not measured: the "
            "lowest activation SQNR is 2.0 dB, of conv.");
}

TEST(VerdictTest, AnotherOutputIsNamed) {
  LayerComparison layer = Broken("lstm", 30, 30, 40);
  layer.outputs = {Output("c_n", 5, 6, 20)};
  const auto verdict = VerdictOf(WithShadows({layer}));
  EXPECT_THAT(verdict->sentences[0], StartsWith("lstm (c_n) is to blame"));
  EXPECT_EQ(verdict->cause, ErrorCause::kUnexplained);
}

TEST(VerdictTest, AWrongBiasIsBehindAllOutputs) {
  LayerComparison layer = Broken("gru", 9, 9, 40);
  layer.shadow->error.bias_share = 0.5;
  layer.shadow->error.mean_error = 0.1;
  layer.bias = BiasComparison{0.02, false};
  layer.outputs = {Output("h_n", 5, 6, 20)};
  const auto verdict = VerdictOf(WithShadows({layer}));
  EXPECT_EQ(verdict->cause, ErrorCause::kBias);
  EXPECT_THAT(verdict->sentences[0],
              StartsWith("gru (h_n) is to blame (6.0 dB by itself): its "
                         "bias is off by 0.141"));
}

TEST(VerdictTest, NamesDoNotDriveTerminals) {
  const auto verdict =
      VerdictOf(WithShadows({Broken("a\x1b[31m\nb", 5, 5, 20)}));
  EXPECT_THAT(verdict->sentences[0], StartsWith("a\\x1b[31m\\x0ab is "));
}

// Whatever the figures of the first output.
TEST(VerdictTest, OtherOutputsThatAreNanAreToBlame) {
  LayerComparison layer = Broken("lstm", 40, 40, 50);
  layer.outputs = {Output("c_n", kNan, kNan, 20)};
  layer.outputs[0].shadow->non_finite = NonFiniteCounts{0, 0, 3, 0};
  const auto verdict = VerdictOf(WithShadows({layer}));
  EXPECT_EQ(verdict->layer, 0);
  EXPECT_EQ(verdict->cause, ErrorCause::kNonFinite);
  EXPECT_THAT(verdict->sentences[0], StartsWith("lstm (c_n) is to blame"));
  // And whatever that of others is, where the first has them.
  layer = Broken("lstm", kNan, kNan, 50);
  layer.shadow->non_finite = NonFiniteCounts{0, 0, 3, 0};
  layer.outputs = {Output("c_n", 40, 40, 50)};
  EXPECT_EQ(VerdictOf(WithShadows({layer}))->cause, ErrorCause::kNonFinite);
}

TEST(VerdictTest, EmulatedSaturationIsCounted) {
  LayerComparison layer = Broken("fc", 10, 10, 40);
  layer.saturation.emplace();
  layer.saturation->saturated = 3;
  layer.saturation->shadow_sqnr_db = 30;
  layer.saturation->shadow_cost_db = 20;
  ComparisonResult result = WithShadows({layer});
  result.emulated = "fbgemm-avx2";
  const auto verdict = VerdictOf(result);
  EXPECT_EQ(verdict->cause, ErrorCause::kSaturation);
  EXPECT_THAT(verdict->sentences[0],
              HasSubstr("saturating sums cost it 20.0 dB on fbgemm-avx2"));
  EXPECT_THAT(verdict->sentences[2],
              HasSubstr("On fbgemm-avx2, sums of products saturate in 1 "
                        "layer."));
}

}  // namespace
}  // namespace ns
