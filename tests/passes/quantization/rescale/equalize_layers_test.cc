#include "passes/quantization/rescale/equalize_layers.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/graph/pass_context.h"
#include "ir/model/model_graph.h"
#include "tests/passes/quantization/rescale/scaled_nets.h"
#include "tests/testing/ir.h"
#include "tests/testing/run_pass.h"
#include "tests/testing/short_ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Two convolutions over one to three dimensions with a body between them, `y`,
// that takes `c`; channels of the first are apart by 2^6.
ModelGraph ConvPair(const std::string& between, int64_t space = 2) {
  std::vector<int64_t> first = {6, 3};
  std::vector<int64_t> second = {4, 6};
  first.resize(2 + space, 3);
  second.resize(2 + space, 1);
  const at::Tensor factors = SpreadFactors(6, 6, 1);
  const std::string conv = "torch.conv" + std::to_string(space) + "d(";
  return NetOf({"c = " + conv + "x, self.w, self.b)", "y = " + between,
                "return " + conv + "y, self.v, self.d)"},
               {{"w", ScaledAlong(Normal(first, 2), 0, factors)},
                {"b", ScaledAlong(Normal({6}, 3), 0, factors)},
                {"v", Normal(second, 4)},
                {"d", Normal({4}, 5)}});
}

// The same with linear layers.
ModelGraph LinearPair(const std::string& between, const at::Tensor& w,
                      const at::Tensor& v) {
  return NetOf({"c = torch.linear(x, self.w, self.b)", "y = " + between,
                "return torch.linear(y, self.v, None)"},
               {{"w", w}, {"b", Normal({w.size(0)}, 3)}, {"v", v}});
}

EqualizationReport Equalize(ModelGraph& model,
                            EqualizeLayers::Options options = {}) {
  PassContext context;
  return OrThrow(EqualizeLayers(std::move(options)).Equalize(model, context));
}

// Fails the test unless the pass moves factors, and nothing else changes.
void ExpectEqualized(ModelGraph model, const at::Tensor& x) {
  const ModelGraph before = OrThrow(model.Clone());
  EXPECT_TRUE(RunPass(EqualizeLayers(), model).changed);
  ExpectSameOutputs(before, model, x);
  EXPECT_FALSE(RunPass(EqualizeLayers(), model).changed) << "when run again";
}

TEST(EqualizeLayersTest, GivesBothLayersTheSameRanges) {
  const at::Tensor w = at::tensor({8.0F, -4.0F, 1.0F, 2.0F}).reshape({2, 2});
  const at::Tensor v = at::tensor({2.0F, 1.0F, -1.0F, 8.0F}).reshape({2, 2});
  ModelGraph model = LinearPair("torch.relu(c)", w, v);
  const std::string text = ShortIr(model.graph());
  const at::Tensor bias = ConstantOfCall(model, "aten::linear", 0, "bias");
  const EqualizationReport report = Equalize(model);
  // The ranges are 8, 2 and 2, 8: the factors sqrt(8 / 2) and sqrt(2 / 8).
  EXPECT_TRUE(
      ConstantOfCall(model, "aten::linear", 0, "weight")
          .equal(at::tensor({4.0F, -2.0F, 2.0F, 4.0F}).reshape({2, 2})));
  EXPECT_TRUE(ConstantOfCall(model, "aten::linear", 0, "bias")
                  .equal(bias / at::tensor({2.0F, 0.5F})));
  EXPECT_TRUE(
      ConstantOfCall(model, "aten::linear", 1, "weight")
          .equal(at::tensor({4.0F, 0.5F, -2.0F, 4.0F}).reshape({2, 2})));
  ASSERT_EQ(report.pairs.size(), 1);
  EXPECT_EQ(report.pairs[0].first, "linear");
  EXPECT_EQ(report.pairs[0].second, "linear@1");
  EXPECT_DOUBLE_EQ(report.pairs[0].spread_before, 4);
  EXPECT_DOUBLE_EQ(report.pairs[0].spread_after, 1);
  EXPECT_EQ(ShortIr(model.graph()), text);
}

TEST(EqualizeLayersTest, PassesWhatStandsBetween) {
  const at::Tensor image = Normal({2, 3, 9, 9}, 6);
  for (const char* between :
       {"c", "torch.relu(c)", "torch.relu_(c)", "torch.leaky_relu(c, 0.1)",
        "torch.dropout(c, 0.5, False)", "torch.max_pool2d(c, [2, 2])",
        "torch.avg_pool2d(torch.relu(c), [3, 3], [2, 2], [1, 1])",
        "torch.adaptive_avg_pool2d(c, [2, 2])",
        "torch.constant_pad_nd(c, [1, 0, 2, 1], 0)",
        "torch.mean(torch.relu(c), [2, 3], True)",
        "torch.prelu(c, torch.full([1], 0.25))",
        "torch.upsample_nearest2d(c, [14, 14], None)"}) {
    SCOPED_TRACE(between);
    ExpectEqualized(ConvPair(between), image);
  }
  ExpectEqualized(ConvPair("torch.relu(c)", 1), Normal({2, 3, 9}, 6));
  ExpectEqualized(ConvPair("torch.max_pool3d(c, [2, 2, 2])", 3),
                  Normal({2, 3, 6, 6, 6}, 6));
  // Without a batch.
  ExpectEqualized(ConvPair("torch.relu(c)"), Normal({3, 9, 9}, 6));
}

TEST(EqualizeLayersTest, AChannelOfAFlattenedImageIsABlockOfFeatures) {
  for (const char* between :
       {"torch.flatten(torch.relu(c), 1)", "torch.flatten(c, -3, -1)",
        "c.view([c.size(0), -1])",
        "torch.reshape(torch.max_pool2d(c, [1, 1]), [2, 24])"}) {
    SCOPED_TRACE(between);
    ModelGraph model = NetOf(
        {"c = torch.conv2d(x, self.w, None)", std::string("y = ") + between,
         "return torch.linear(y, self.v, None)"},
        {{"w", ScaledAlong(Normal({6, 3, 2, 2}, 2), 0, SpreadFactors(6, 6, 1))},
         {"v", Normal({5, 24}, 4)}});
    const at::Tensor x = Normal({2, 3, 3, 3}, 6);
    if (std::string(between).find("reshape") == std::string::npos) {
      ExpectEqualized(std::move(model), x);
    } else {
      // Which rows these are, only a run tells.
      EXPECT_FALSE(RunPass(EqualizeLayers(), model).changed);
    }
  }
}

TEST(EqualizeLayersTest, TakesGroupsAndTransposedConvolutions) {
  const auto net = [](const std::string& first, at::IntArrayRef w,
                      const std::string& second, at::IntArrayRef v) {
    return NetOf(
        {"c = torch." + first, "return torch." + second},
        {{"w", Normal(w, 2) * at::exp2(3 * Normal({w[0], w[1], 1, 1}, 7))},
         {"b", Normal({8}, 3)},
         {"v", Normal(v, 4) * at::exp2(3 * Normal({v[0], v[1], 1, 1}, 8))}});
  };
  const std::string conv = "conv2d(x, self.w, self.b)";
  const std::string grouped =
      "conv2d(c, self.v, None, [1, 1], [0, 0], [1, 1], 4)";
  const at::Tensor x = Normal({2, 4, 5, 5}, 6);
  ExpectEqualized(net(conv, {8, 4, 3, 3}, grouped, {12, 2, 3, 3}), x);
  ExpectEqualized(
      net("conv_transpose2d(x, self.w, self.b, [2, 2], [0, 0], [0, 0], 2)",
          {4, 4, 3, 3}, grouped, {12, 2, 3, 3}),
      x);
  ExpectEqualized(
      net(conv, {8, 4, 3, 3},
          "conv_transpose2d(c, self.v, None, [2, 2], [0, 0], [0, 0], 4)",
          {8, 3, 2, 2}),
      x);
  ExpectEqualized(
      net("_convolution(x, self.w, self.b, [1, 1], [0, 0], [1, 1], True, "
          "[0, 0], 2, False, False, True, True)",
          {4, 4, 3, 3}, grouped, {12, 2, 3, 3}),
      x);
}

// The middle layer is the second of one pair and the first of another.
TEST(EqualizeLayersTest, ChainsComeToRest) {
  ModelGraph model = NetOf(
      {"a = torch.relu(torch.conv2d(x, self.w, self.b))",
       "d = torch.relu(torch.conv2d(a, self.u, self.b, [1, 1], [1, 1], [1, 1], "
       "16))",
       "return torch.conv2d(d, self.v, None)"},
      {{"w", ScaledAlong(Normal({16, 3, 3, 3}, 1), 0, SpreadFactors(16, 5, 2))},
       {"u", ScaledAlong(Normal({16, 1, 3, 3}, 3), 0, SpreadFactors(16, 8, 4))},
       {"v", Normal({4, 16, 1, 1}, 5)},
       {"b", Normal({16}, 6)}});
  const ModelGraph before = OrThrow(model.Clone());
  const EqualizationReport report = Equalize(model);
  ASSERT_EQ(report.pairs.size(), 2);
  EXPECT_GT(report.pairs[0].spread_before, 100);
  const auto ranges = [&](size_t index) {
    const at::Tensor weight =
        ConstantOfCall(model, "aten::conv2d", index, "weight").abs();
    return index == 2 ? weight.amax({0, 2, 3}) : weight.amax({1, 2, 3});
  };
  // In each channel, all three layers have one range.
  EXPECT_TRUE(ranges(0).allclose(ranges(1), 0.02, 0));
  EXPECT_TRUE(ranges(1).allclose(ranges(2), 0.02, 0));
  ExpectSameOutputs(before, model, Normal({2, 3, 8, 8}, 7));
  EXPECT_FALSE(RunPass(EqualizeLayers(), model).changed);
}

TEST(EqualizeLayersTest, AClampGetsBoundsForEachChannel) {
  ModelGraph model = ConvPair("torch.max_pool2d(torch.relu6(c), [2, 2])");
  const ModelGraph before = OrThrow(model.Clone());
  ExpectShortIr(before.graph(), R"(
%1 = aten::conv2d(%0, <Tensor>, <Tensor>, [1, 1], [0, 0], [1, 1], 1)
%2 = aten::relu6(%1)
%3 = aten::max_pool2d(%2, [2, 2], [], [0, 0], [1, 1], False)
%4 = aten::conv2d(%3, <Tensor>, <Tensor>, [1, 1], [0, 0], [1, 1], 1)
return (%4))");
  EXPECT_EQ(Equalize(model).pairs.size(), 1);
  ExpectShortIr(model.graph(), R"(
%1 = aten::conv2d(%0, <Tensor>, <Tensor>, [1, 1], [0, 0], [1, 1], 1)
%2 = aten::relu(%1)
%3 = aten::minimum(%2, <Tensor>)
%4 = aten::max_pool2d(%3, [2, 2], [], [0, 0], [1, 1], False)
%5 = aten::conv2d(%4, <Tensor>, <Tensor>, [1, 1], [0, 0], [1, 1], 1)
return (%5))");
  EXPECT_THAT(ConstantOfCall(model, "aten::minimum", 0, "other").sizes(),
              ElementsAre(6, 1, 1));
  ExpectSameOutputs(before, model, Normal({2, 3, 9, 9}, 6));
}

TEST(EqualizeLayersTest, OtherClampsFromZeroGetThemToo) {
  const at::Tensor x = Normal({2, 3, 9, 9}, 6);
  ExpectEqualized(ConvPair("torch.hardtanh(c, 0., 2.)"), x);
  ExpectEqualized(ConvPair("torch.hardtanh_(c, 0., 2.)"), x);
  ExpectEqualized(ConvPair("torch.clamp(c, 0, 3)"), x);
  ExpectEqualized(
      NetOf({"y = torch.relu6(torch.flatten(torch.conv2d(x, self.w, None), 1))",
             "return torch.linear(y, self.v, None)"},
            {{"w",
              ScaledAlong(Normal({6, 3, 8, 8}, 2), 0, SpreadFactors(6, 6, 1))},
             {"v", Normal({5, 24}, 4)}}),
      x);
}

TEST(EqualizeLayersTest, KnownOutputsKeepTheClamp) {
  ModelGraph model = ConvPair("torch.relu6(c)");
  const ModelGraph before = OrThrow(model.Clone());
  const at::Tensor x = 0.3 * Normal({2, 3, 9, 9}, 6);
  const at::Tensor w = ConstantOfCall(model, "aten::conv2d", 0, "weight");
  const at::Tensor b = ConstantOfCall(model, "aten::conv2d", 0, "bias");
  const at::Tensor outputs = at::conv2d(x, w, b).clamp(0, 6).amax({0, 2, 3});
  EqualizeLayers::Options options;
  options.largest_outputs["conv2d"] = outputs;
  const std::string text = ShortIr(model.graph());
  EXPECT_EQ(Equalize(model, options).pairs.size(), 1);
  EXPECT_EQ(ShortIr(model.graph()), text);
  ExpectSameOutputs(before, model, x);
  const at::Tensor scaled = ConstantOfCall(model, "aten::conv2d", 0, "weight");
  const at::Tensor clips = outputs.ge(6);
  ASSERT_TRUE(clips.any().item<bool>());
  ASSERT_FALSE(clips.all().item<bool>());
  for (int64_t c = 0; c < 6; ++c) {
    EXPECT_EQ(scaled[c].equal(w[c]), clips[c].item<bool>()) << c;
  }
}

// The pool ends the subgraph: its outputs are those in front of the clamp. One
// channel is far beyond the clamp, and the other would be, if it might grow as
// far as that.
TEST(EqualizeLayersTest, AClampThatStaysCutsNothingElseOff) {
  at::Tensor w = at::zeros({2, 2, 1, 1});
  w[0][0] = 10;
  w[1][1] = 0.1;
  at::Tensor v = at::ones({1, 2, 1, 1});
  v.select(1, 1).fill_(4);
  ModelGraph model = NetOf({"c = torch.conv2d(x, self.w, None)",
                            "r = torch.relu6(torch.max_pool2d(c, [1, 1]))",
                            "return torch.conv2d(r, self.v, None)"},
                           {{"w", w}, {"v", v}});
  const ModelGraph before = OrThrow(model.Clone());
  at::Tensor x = at::zeros({1, 2, 1, 2});
  x[0][0] = 2;   // 20 behind the first layer
  x[0][1] = 30;  // 3 behind it
  EqualizeLayers::Options options;
  options.largest_outputs["conv2d"] = at::conv2d(x, w, {}).amax({0, 2, 3});
  options.clamps = EqualizeLayers::Clamps::kKeep;
  Equalize(model, options);
  ExpectSameOutputs(before, model, x);
}

TEST(EqualizeLayersTest, NoChannelExceedsTheLargestKnownOutput) {
  ModelGraph model = ConvPair("torch.relu(c)");
  const at::Tensor x = Normal({2, 3, 9, 9}, 6);
  const auto outputs = [&] {
    return at::conv2d(x, ConstantOfCall(model, "aten::conv2d", 0, "weight"),
                      ConstantOfCall(model, "aten::conv2d", 0, "bias"))
        .relu()
        .amax({0, 2, 3});
  };
  EqualizeLayers::Options options;
  options.largest_outputs["conv2d"] = outputs();
  const double before = outputs().max().item<double>();
  EXPECT_EQ(Equalize(model, options).pairs.size(), 1);
  EXPECT_LE(outputs().max().item<double>(), before * (1 + 1e-6));
}

// Both: bounds for each channel, and a range that stays.
TEST(EqualizeLayersTest, KnownOutputsBoundRescaledClampsToo) {
  ModelGraph model = ConvPair("torch.relu6(c)");
  const ModelGraph before = OrThrow(model.Clone());
  const at::Tensor x = 0.3 * Normal({2, 3, 9, 9}, 6);
  EqualizeLayers::Options options;
  options.clamps = EqualizeLayers::Clamps::kRescale;
  options.largest_outputs["conv2d"] =
      at::conv2d(x, ConstantOfCall(model, "aten::conv2d", 0, "weight"),
                 ConstantOfCall(model, "aten::conv2d", 0, "bias"))
          .clamp(0, 6)
          .amax({0, 2, 3});
  EXPECT_EQ(Equalize(model, options).pairs.size(), 1);
  ExpectSameOutputs(before, model, x);
  const at::Tensor bounds =
      ConstantOfCall(model, "aten::minimum", 0, "other").flatten();
  const at::Tensor clips = options.largest_outputs["conv2d"].ge(6);
  ASSERT_TRUE(clips.any().item<bool>());
  EXPECT_LE(bounds.masked_select(clips).max().item<float>(), 6);
  EXPECT_LT(bounds.min().item<float>(), 6);
}

TEST(EqualizeLayersTest, OutputsThatDoNotFitAreAnError) {
  for (const at::Tensor& largest :
       {at::ones({5}), at::full({6}, NAN), -at::ones({6})}) {
    ModelGraph model = ConvPair("torch.relu(c)");
    EqualizeLayers::Options options;
    options.largest_outputs["conv2d"] = largest;
    PassContext context;
    EXPECT_THAT(MessageOf(EqualizeLayers(options).Run(model, context)),
                HasSubstr("conv2d: its largest outputs are not one finite "
                          "number for each of 6 channels"));
  }
}

TEST(EqualizeLayersTest, LayersThatAreBalancedStay) {
  ModelGraph model = LinearPair("torch.relu(c)", at::sign(Normal({4, 4}, 1)),
                                at::sign(Normal({4, 4}, 2)));
  const PassRun run = RunPass(EqualizeLayers(), model);
  EXPECT_FALSE(run.changed);
  ASSERT_EQ(run.remarks.size(), 1);  // of the last layer
  EXPECT_THAT(Equalize(model).pairs, IsEmpty());
}

TEST(EqualizeLayersTest, ChannelsWithoutWeightsKeepTheirScale) {
  at::Tensor w = ScaledAlong(Normal({6, 6}, 1), 0, SpreadFactors(6, 6, 2));
  at::Tensor v = Normal({6, 6}, 3);
  w[0].zero_();
  w[1].mul_(1e-9);
  v.select(1, 2).zero_();
  ModelGraph model = LinearPair("torch.relu(c)", w, v);
  const ModelGraph before = OrThrow(model.Clone());
  EXPECT_EQ(Equalize(model).pairs.size(), 1);
  const at::Tensor scaled = ConstantOfCall(model, "aten::linear", 0, "weight");
  for (int64_t c = 0; c < 6; ++c) {
    EXPECT_EQ(scaled[c].equal(w[c]), c < 3) << c;
  }
  ExpectSameOutputs(before, model, Normal({5, 6}, 4));
}

TEST(EqualizeLayersTest, TakesThePairsThatItIsToldTo) {
  ModelGraph model =
      NetOf({"return torch.linear(torch.linear(torch.linear(x, self.w, None), "
             "self.v, None), self.u, None)"},
            {{"w", ScaledAlong(Normal({6, 6}, 1), 0, SpreadFactors(6, 6, 2))},
             {"v", ScaledAlong(Normal({6, 6}, 3), 0, SpreadFactors(6, 6, 4))},
             {"u", Normal({6, 6}, 5)}});
  const ModelGraph before = OrThrow(model.Clone());
  EqualizeLayers::Options options;
  options.takes_pair = [](const std::string& first, const std::string& second) {
    return first == "linear" && second == "linear@1";
  };
  const EqualizationReport report = Equalize(model, options);
  ASSERT_EQ(report.pairs.size(), 1);
  EXPECT_EQ(report.pairs[0].second, "linear@1");
  EXPECT_TRUE(ConstantOfCall(model, "aten::linear", 2, "weight")
                  .equal(ConstantOfCall(before, "aten::linear", 2, "weight")));
}

}  // namespace
}  // namespace ns
