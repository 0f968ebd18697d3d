#include "ns/findings/blame.h"

#include <cmath>

#include "gtest/gtest.h"
#include "ns/findings/error_causes.h"
#include "tests/ns/report/clipping_results.h"
#include "tests/ns/report/table_results.h"

namespace ns {
namespace {

// Its bias makes up for what rounding does to the weight, and so has a share of
// what is left.
TEST(BlameTest, CorrectedBiasesAreNotToBlame) {
  LayerComparison layer = Broken("fc", 35, 38, 40);
  layer.shadow->error.bias_share = 0.5;
  layer.shadow->error.mean_error = 0.01;
  layer.bias = BiasComparison{1e-4, /*is_missing=*/false};
  ASSERT_EQ(CauseOf(layer), ErrorCause::kBias);
  EXPECT_FALSE(BlameOf(WithShadows({layer})).has_value());
  const LayerComparison worst = Broken("quantize", 34, 34, 60);
  EXPECT_FALSE(BlameOf(WithShadows({worst, layer})).has_value());
  // One that is missing is a mistake, and so is one that does harm.
  layer.bias->is_missing = true;
  EXPECT_EQ(BlameOf(WithShadows({layer}))->cause, ErrorCause::kBias);
  LayerComparison harmful = Broken("fc", 15, 18, 40);
  harmful.shadow->error.bias_share = 0.5;
  harmful.shadow->error.mean_error = 0.01;
  harmful.bias = BiasComparison{1e-4, /*is_missing=*/false};
  EXPECT_EQ(BlameOf(WithShadows({harmful}))->cause, ErrorCause::kBias);
}

TEST(BlameTest, ClippingBesideItIsNotToBlame) {
  const auto blame =
      BlameOf(WithShadows({Clipping("side", 8, {}), Clipping("main", 5, {})}));
  ASSERT_TRUE(blame.has_value());
  EXPECT_EQ(blame->layer, 1);
}

TEST(BlameTest, ClippingThatIsMuchSmallerIsNotToBlame) {
  const auto blame =
      BlameOf(WithShadows({Clipping("quant", 28, {}), Clipping("fc", 5, {0})}));
  ASSERT_TRUE(blame.has_value());
  EXPECT_EQ(blame->layer, 1);
}

TEST(BlameTest, GoodLayersInFrontClearNobody) {
  const auto blame = BlameOf(
      WithShadows({Clipping("quant", 31, {}), Clipping("fc", 25, {0})}));
  ASSERT_TRUE(blame.has_value());
  EXPECT_EQ(blame->layer, 1);
  EXPECT_EQ(blame->cause, ErrorCause::kClipping);
}

TEST(BlameTest, AWrongWeightInFrontOfClippingIsToBlame) {
  const auto blame =
      BlameOf(WithShadows({WithWeight(Broken("fc1", 7, 7, 50), 2),
                           Clipping("fc2", 5, {0}), Clipping("fc3", 4, {1})}));
  ASSERT_TRUE(blame.has_value());
  EXPECT_EQ(blame->layer, 0);
  EXPECT_EQ(blame->cause, ErrorCause::kWeight);
}

TEST(BlameTest, AnOrderThatDoesNotMatterIsNotToBlame) {
  ComparisonResult result =
      WithShadows({Broken("b", 40, 41, 45), Broken("a", 39, 40, 42, {0})});
  result.swapped = {"b", "a"};
  EXPECT_FALSE(BlameOf(result).has_value());
}

TEST(BlameTest, LayersThatMakeNanAreToBlame) {
  LayerComparison layer = Broken("log", kNan, kNan, 20);
  layer.shadow->non_finite = NonFiniteCounts{0, 0, 3, 0};
  const auto blame = BlameOf(WithShadows({Broken("fc", 2, 2, 20), layer}));
  ASSERT_TRUE(blame.has_value());
  EXPECT_EQ(blame->layer, 1);
  EXPECT_EQ(blame->cause, ErrorCause::kNonFinite);
}

TEST(BlameTest, LostChannelsAreToBlameWhereTheLayerLooksFine) {
  LayerComparison head = Broken("head", 52, 53, 60);
  head.shadow->channels = ChannelSummary{12, 0.5, 8};
  const auto blame = BlameOf(WithShadows({Broken("conv", 36, 36, 50), head}));
  ASSERT_TRUE(blame.has_value());
  EXPECT_EQ(blame->layer, 1);
  EXPECT_EQ(blame->cause, ErrorCause::kOutlierChannel);
  // What does more harm than they is to blame.
  const auto worse = BlameOf(WithShadows({Clipping("quant", 0.2, {}), head}));
  EXPECT_EQ(worse->layer, 0);
  EXPECT_EQ(worse->cause, ErrorCause::kClipping);
}

TEST(BlameTest, DeadChannelsAreToBlameWhereNothingElseExplainsThem) {
  LayerComparison head = Broken("head", 42, 43, 50);
  head.shadow->channels = ChannelSummary{12, 40, 2, 2};
  const auto blame = BlameOf(WithShadows({Broken("conv", 36, 36, 50), head}));
  ASSERT_TRUE(blame.has_value());
  EXPECT_EQ(blame->layer, 1);
  EXPECT_EQ(blame->cause, ErrorCause::kDeadChannels);
  const auto worse = BlameOf(WithShadows({Clipping("quant", 12, {}), head}));
  EXPECT_EQ(worse->cause, ErrorCause::kClipping);
  head.shadow->channels->below_3db = 8;
  head.shadow->channels->median_sqnr_db = 1;
  EXPECT_EQ(BlameOf(WithShadows({head}))->cause, ErrorCause::kOutlierChannel);
}

TEST(BlameTest, AWeightOfAnotherCallIsTold) {
  LayerComparison conv = WithWeight(Broken("conv", 2, 2, 50), 4);
  conv.shares_weight_with = "conv@1";
  EXPECT_EQ(BlameOf(WithShadows({conv}))->cause, ErrorCause::kSharedWeight);
}

TEST(BlameTest, AnInputThatClipsMuchIsAnother) {
  LayerComparison input = Clipping("x.quantize", 5, {});
  input.float_side = {};
  input.shadow->ranges->float_max = 2;
  input.shadow->error.mean_error = std::sqrt(0.5 * 0.1 / 3);
  EXPECT_EQ(BlameOf(WithShadows({input}))->cause, ErrorCause::kClipping);
  input.shadow->ranges->float_max = 20;
  EXPECT_EQ(BlameOf(WithShadows({input}))->cause, ErrorCause::kInputMismatch);
}

TEST(BlameTest, AnInputOfAnotherSizeIsBehindWhatClips) {
  LayerComparison input = Clipping("x.quantize", 5, {});
  input.float_side = {};
  input.shadow->ranges->float_max = 20;
  input.output_share = 0.1;
  LayerComparison layer = Clipping("fc", 12, {0});
  layer.output_share = 0.9;
  const auto blame = BlameOf(WithShadows({input, layer}));
  ASSERT_TRUE(blame.has_value());
  EXPECT_EQ(blame->layer, 0);
  EXPECT_EQ(blame->cause, ErrorCause::kInputMismatch);
  // One that is as in calibration is not.
  input.shadow->ranges->float_max = 2;
  EXPECT_EQ(BlameOf(WithShadows({input, layer}))->layer, 1);
}

TEST(BlameTest, AGoodLayerThatMakesMostOfALargeErrorIsToBlame) {
  ComparisonResult result =
      WithShadows({Broken("norm", 33, 33, 60), Broken("fc", 14, 45, 14)});
  result.layers[0].output_share = 0.9;
  result.layers[1].output_share = 0.1;
  result.model_outputs.push_back({"output", "", "", Figures(25)});
  EXPECT_FALSE(BlameOf(result).has_value());
  result.model_outputs[0].figures = Figures(14);
  ASSERT_TRUE(BlameOf(result).has_value());
  EXPECT_EQ(BlameOf(result)->layer, 0);
  result.layers[0].output_share = 0.45;
  result.layers[1].output_share = 0.55;
  EXPECT_EQ(BlameOf(result)->layer, 1);
}

// Returns a pool that uses little of the range of its input.
LayerComparison Pool(double inherited) {
  LayerComparison pool = Clipping("pool", 24, {0});
  pool.family = "adaptive_avg_pool2d";
  pool.quantized_side.op = "aten::adaptive_avg_pool2d";
  pool.shadow->codes = CodeUse{0, 0, 0};
  pool.shadow->ranges = ValueRanges{0, 0.1, 0, 0.1};
  const double step = pool.qparams->scale;
  pool.shadow->error.mean_error = std::sqrt(0.5 * step * step / 12);
  pool.inherited->sqnr_db = inherited;
  return pool;
}

TEST(BlameTest, AMatterOfDegreeIsNotToBlameWhereTheOutputsAreGood) {
  ComparisonResult result = WithShadows({Clipping("quant", 25, {})});
  result.layers[0].output_share = 0.9;
  result.model_outputs.push_back({"output", "", "", Figures(29)});
  ASSERT_TRUE(BlameOf(result).has_value());
  EXPECT_EQ(BlameOf(result)->cause, ErrorCause::kClipping);
  result.model_outputs[0].figures = Figures(30);
  EXPECT_FALSE(BlameOf(result).has_value());
  // A mistake is named whatever the outputs have.
  LayerComparison& layer = result.layers[0];
  layer.bias = BiasComparison{1, /*is_missing=*/true};
  ASSERT_TRUE(BlameOf(result).has_value());
  EXPECT_EQ(BlameOf(result)->cause, ErrorCause::kBias);
  result.layers[0] = Pool(60);
  ASSERT_TRUE(BlameOf(result).has_value());
  EXPECT_EQ(BlameOf(result)->cause, ErrorCause::kRange);
}

TEST(BlameTest, AGivenRangeIsNotToBlameWhereMoreIsInherited) {
  ComparisonResult result = WithShadows({Broken("conv", 11, 31, 11), Pool(11)});
  ASSERT_EQ(CauseOf(result.layers[1]), ErrorCause::kRange);
  EXPECT_FALSE(BlameOf(result).has_value());
  // It is where its own error is no smaller.
  result.layers[1] = Pool(24);
  ASSERT_TRUE(BlameOf(result).has_value());
  EXPECT_EQ(BlameOf(result)->layer, 1);
  // It is where shares hold and say so.
  result.layers[1] = Pool(11);
  result.layers[1].output_share = 0.6;
  result.layers[0].output_share = 0.4;
  ASSERT_TRUE(BlameOf(result).has_value());
  EXPECT_EQ(BlameOf(result)->layer, 1);
}

// Clipped in front of a saturated sigmoid, it costs the outputs nothing.
TEST(BlameTest, ALargeErrorThatTheOutputsDoNotShowIsNotToBlame) {
  LayerComparison clipping = Clipping("decoder", 12, {});
  clipping.output_share = 0.001;
  LayerComparison stft = Broken("stft", 26, 26, 60);
  stft.output_share = 0.6;
  const auto blame = BlameOf(WithShadows({stft, clipping}));
  ASSERT_TRUE(blame.has_value());
  EXPECT_EQ(blame->layer, 0);
}

TEST(BlameTest, AMistakeThatTheOutputsHardlyShowIsNamedWhereNothingElseIs) {
  LayerComparison add = Broken("add", 26, 25, 40);
  add.shadow->error.bias_share = 0.5;
  add.shadow->error.mean_error = 0.01;
  add.bias = BiasComparison{1e-4, /*is_missing=*/true};
  add.output_share = 0.05;
  LayerComparison fc = Broken("fc", 40, 41, 45);
  fc.output_share = 0.9;
  const auto blame = BlameOf(WithShadows({add, fc}));
  ASSERT_TRUE(blame.has_value());
  EXPECT_EQ(blame->layer, 0);
  EXPECT_EQ(blame->cause, ErrorCause::kBias);
}

}  // namespace
}  // namespace ns
