#include "passes/quantization/rescale/smooth_layers.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/ir/ir.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/graph/pass_context.h"
#include "ir/model/model_graph.h"
#include "passes/quantization/qconfig/qconfig.h"
#include "passes/quantization/rescale/channel_samples.h"
#include "tests/passes/quantization/rescale/scaled_nets.h"
#include "tests/testing/ir.h"
#include "tests/testing/modules.h"
#include "tests/testing/run_pass.h"
#include "tests/testing/short_ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int64_t kWidth = 64;

QConfigMapping Int8() {
  QConfigMapping mapping;
  mapping.SetGlobal(Int8PerChannelQConfig());
  return mapping;
}

// Weights of norms, of which every 16th channel is larger by `outliers`, and of
// linear layers.
Attributes Weights(double outliers) {
  const at::Tensor gamma = 1 + 0.1 * Normal({kWidth}, 1);
  gamma.slice(0, 0, kWidth, 16).mul_(outliers);
  return {{"gamma", gamma},
          {"beta", 0.1 * Normal({kWidth}, 2) * gamma},
          {"q", Normal({kWidth, kWidth}, 3)},
          {"k", Normal({kWidth, kWidth}, 4)},
          {"b", Normal({kWidth}, 5)}};
}

std::string NormOf(const std::string& x) {
  return absl::StrCat("torch.layer_norm(", x, ", [64], self.gamma, self.beta)");
}

at::Tensor Input() { return Normal({4, 32, kWidth}, 6); }

// Options with what linear layers of `model` read of Input().
SmoothLayers::Options Sampled(const ModelGraph& model,
                              QConfigMapping mapping = Int8()) {
  ChannelSampler sampler = OrThrow(ChannelSampler::Create(model));
  NS_EXPECT_OK(sampler.Run({Input()}));
  SmoothLayers::Options options;
  options.inputs = sampler.samples().inputs;
  options.mapping = std::move(mapping);
  return options;
}

SmoothLayers::Options Given(double exponent) {
  SmoothLayers::Options options;
  options.exponent = exponent;
  return options;
}

SmoothingReport Smooth(ModelGraph& model, SmoothLayers::Options options) {
  PassContext context;
  return OrThrow(SmoothLayers(std::move(options)).Smooth(model, context));
}

std::vector<std::string> Reasons(const SmoothingReport& report) {
  std::vector<std::string> lines;
  for (const RefusedLayer& refused : report.refused) {
    lines.push_back(absl::StrCat(refused.name, ": ", refused.reason));
  }
  return lines;
}

TEST(SmoothLayersTest, MovesFactorsFromTheNormToItsReaders) {
  ModelGraph model = NetOf(
      {"y = torch.layer_norm(x, [2], self.gamma, self.beta)",
       "return torch.linear(y, self.q, None) + torch.linear(y, self.k, None)"},
      {{"gamma", at::tensor({1.0F, 2.0F})},
       {"beta", at::tensor({4.0F, 6.0F})},
       {"q", at::tensor({2.0F, 1.0F, -1.0F, 3.0F}).reshape({2, 2})},
       {"k", at::tensor({1.0F, -8.0F, 0.5F, 0.0F}).reshape({2, 2})}});
  const std::string text = ShortIr(model.graph());
  SmoothLayers::Options options = Given(0.5);
  ChannelSample sample;
  sample.largest = at::tensor({8.0F, 2.0F});
  sample.rows = at::ones({1, 2});
  options.inputs = {{"linear", sample}, {"linear@1", sample}};
  const SmoothingReport report = Smooth(model, options);
  // Values up to 8 and 2, weights up to 2 and 8: the factors sqrt(8 / 2) and
  // sqrt(2 / 8).
  EXPECT_TRUE(ConstantOfCall(model, "aten::layer_norm", 0, "weight")
                  .equal(at::tensor({0.5F, 4.0F})));
  EXPECT_TRUE(ConstantOfCall(model, "aten::layer_norm", 0, "bias")
                  .equal(at::tensor({2.0F, 12.0F})));
  EXPECT_TRUE(
      ConstantOfCall(model, "aten::linear", 0, "weight")
          .equal(at::tensor({4.0F, 0.5F, -2.0F, 1.5F}).reshape({2, 2})));
  EXPECT_TRUE(
      ConstantOfCall(model, "aten::linear", 1, "weight")
          .equal(at::tensor({2.0F, -4.0F, 1.0F, 0.0F}).reshape({2, 2})));
  EXPECT_EQ(ShortIr(model.graph()), text);
  ASSERT_EQ(report.tried.size(), 1);
  EXPECT_EQ(report.tried[0].first, "layer_norm");
  EXPECT_THAT(report.tried[0].readers, ElementsAre("linear", "linear@1"));
  EXPECT_EQ(report.tried[0].exponent, 0.5);
  EXPECT_TRUE(report.has_norm);
}

TEST(SmoothLayersTest, OutliersGainSeveralDecibels) {
  ModelGraph model =
      NetOf({"y = " + NormOf("x"),
             "return torch.linear(y, self.q, self.b) + torch.linear(y, self.k, "
             "None)"},
            Weights(50));
  const ModelGraph before = OrThrow(model.Clone());
  const SmoothLayers::Options options = Sampled(model);
  ModelGraph copy = OrThrow(model.Clone());
  EXPECT_TRUE(RunPass(SmoothLayers(options), copy).changed);
  const SmoothingReport report = Smooth(model, options);
  ASSERT_EQ(report.tried.size(), 1);
  EXPECT_TRUE(report.tried[0].is_smoothed);
  EXPECT_GT(report.tried[0].with_db, report.tried[0].without_db + 5);
  ExpectSameOutputs(before, model, Input());
  // So does the whole model.
  EXPECT_GT(SqnrQuantized(model, Int8(), Input()),
            SqnrQuantized(before, Int8(), Input()) + 5);
}

// Values and weights that have the same range in all channels.
TEST(SmoothLayersTest, ValuesWithoutOutliersStay) {
  const auto uniform = [](int64_t rows, uint64_t seed) {
    return at::erf(Normal({rows, kWidth}, seed) / std::sqrt(2.0));
  };
  Attributes weights = Weights(1);
  weights[2].second = uniform(kWidth, 7);
  ModelGraph model = NetOf(
      {"return torch.linear(" + NormOf("x") + ", self.q, None)"}, weights);
  SmoothLayers::Options options;
  options.mapping = Int8();
  options.inputs["linear"].rows = uniform(512, 8);
  options.inputs["linear"].largest =
      options.inputs["linear"].rows.abs().amax(0);
  const PassRun run = RunPass(SmoothLayers(options), model);
  EXPECT_FALSE(run.changed);
  ASSERT_EQ(run.remarks.size(), 2);
  EXPECT_EQ(run.remarks[0].op, "aten::layer_norm");
  EXPECT_THAT(run.remarks[0].reason,
              HasSubstr("smoothing gains its readers less than 0.5 dB"));
  const SmoothingReport report = Smooth(model, options);
  ASSERT_EQ(report.tried.size(), 1);
  EXPECT_FALSE(report.tried[0].is_smoothed);
  EXPECT_GT(report.tried[0].without_db, 30);
}

TEST(SmoothLayersTest, ANormWithoutParametersGetsAWeight) {
  ModelGraph model = NetOf(
      {"y = torch.layer_norm(x, [64])", "return torch.linear(y, self.q, None)"},
      {{"q",
        ScaledAlong(Normal({8, kWidth}, 3), 1, SpreadFactors(kWidth, 6, 4))}});
  const ModelGraph before = OrThrow(model.Clone());
  ExpectShortIr(before.graph(), R"(
%1 = aten::layer_norm(%0, [64], None, None, 1e-05, True)
%2 = aten::linear(%1, <Tensor>, None)
return (%2))");
  EXPECT_TRUE(RunPass(SmoothLayers(Given(0.5)), model).changed);
  ExpectShortIr(model.graph(), R"(
%1 = aten::layer_norm(%0, [64], <Tensor>, None, 1e-05, True)
%2 = aten::linear(%1, <Tensor>, None)
return (%2))");
  ExpectSameOutputs(before, model, Input());
}

// Its dtype is that of its values.
TEST(SmoothLayersTest, ANormWithoutParametersInDoubleGetsAWeightInDouble) {
  ModelGraph model = NetOf(
      {"y = torch.layer_norm(x, [64])", "return torch.linear(y, self.q, None)"},
      {{"q", Weights(1)[2].second.toTensor().to(at::kDouble) *
                 at::linspace(1, 30, kWidth, at::kDouble)}});
  const ModelGraph before = OrThrow(model.Clone());
  EXPECT_TRUE(Smooth(model, Given(0.5)).tried[0].is_smoothed);
  ExpectSameOutputs(before, model, Input().to(at::kDouble));
}

// A linear layer is the reader of one group and the first of another.
TEST(SmoothLayersTest, GoesFromLinearToLinear) {
  ModelGraph model = NetOf(
      {"up = torch.relu(torch.linear(" + NormOf("x") + ", self.q, self.b))",
       "return torch.linear(torch.dropout(up, 0.5, False), self.k, None)"},
      Weights(50));
  const ModelGraph before = OrThrow(model.Clone());
  SmoothLayers::Options options = Sampled(model);
  options.exponent = 0.5;
  const SmoothingReport report = Smooth(model, options);
  ASSERT_EQ(report.tried.size(), 2);
  EXPECT_EQ(report.tried[1].first, "linear");
  EXPECT_THAT(report.tried[1].readers, ElementsAre("linear@1"));
  EXPECT_THAT(Reasons(report),
              ElementsAre("linear@1: its values are an output of the model"));
  ExpectSameOutputs(before, model, Input());
}

TEST(SmoothLayersTest, PassesReshapesThatKeepFeaturesTogether) {
  for (const char* between :
       {"y.view([-1, 64])", "torch.flatten(y, 0, -2)", "y.permute([1, 0, 2])",
        "torch.mean(y, [-2])", "torch.select(y, -2, 0)"}) {
    SCOPED_TRACE(between);
    ModelGraph model = NetOf(
        {"y = " + NormOf("x"),
         absl::StrCat("return torch.linear(", between, ", self.q, None)")},
        Weights(50));
    const ModelGraph before = OrThrow(model.Clone());
    EXPECT_TRUE(RunPass(SmoothLayers(Given(0.5)), model).changed);
    ExpectSameOutputs(before, model, Input());
    EXPECT_FALSE(RunPass(SmoothLayers(Given(0.5)), model).changed);
  }
}

TEST(SmoothLayersTest, StaysWhereSomethingElseReadsTheValues) {
  for (const auto& [body, reason] :
       std::vector<std::pair<std::string, std::string>>{
           {"y + 1", "aten::add stands between"},
           {"torch.linear(torch.gelu(y), self.q, None)",
            "aten::gelu stands between"},
           {"torch.linear(torch.transpose(y, 0, 1), self.q, None)",
            "aten::transpose stands between"},
           {"torch.matmul(y, self.q)", "aten::matmul stands between"},
           {"(torch.matmul(y, self.q), y)",
            "its values go into a tuple or a list"},
           {"torch.linear(y, x[0], None)",
            "linear: its weight is not constant"},
           {"torch.linear(torch.linear(torch.sigmoid(torch.linear(y, self.q, "
            "None)), self.k, None), self.q, None)",
            "linear: its weight is used elsewhere, too"}}) {
    SCOPED_TRACE(body);
    ModelGraph model =
        NetOf({"y = " + NormOf("x"), "return " + body}, Weights(50));
    EXPECT_EQ(Reasons(Smooth(model, Given(0.5)))[0], "layer_norm: " + reason);
  }
}

TEST(SmoothLayersTest, LinearLayersGetACopyOfANormThatOthersRead) {
  for (const auto& [body, is_copied] :
       std::vector<std::pair<std::string, bool>>{
           {"y + torch.linear(y, self.q, None)", true},
           {"torch.linear(torch.relu(y), self.q, None) * y", true},
           {"torch.linear(y, self.q, None) + torch.linear(y, self.k, None) + "
            "torch.sigmoid(y)",
            true},
           {"torch.linear(y, self.q, None) + torch.linear(y, self.k, None)",
            false}}) {
    SCOPED_TRACE(body);
    ModelGraph model =
        NetOf({"y = " + NormOf("x"), "return " + body}, Weights(50));
    const ModelGraph before = OrThrow(model.Clone());
    const SmoothingReport report = Smooth(model, Sampled(model));
    ASSERT_EQ(report.tried.size(), 1);
    EXPECT_TRUE(report.tried[0].is_smoothed);
    EXPECT_EQ(report.tried[0].is_copied, is_copied);
    EXPECT_GT(report.tried[0].with_db, report.tried[0].without_db + 3);
    EXPECT_EQ(NodesOf(model.graph(), "aten::layer_norm").size(),
              is_copied ? 2 : 1);
    ExpectSameOutputs(before, model, Input());
  }
}

TEST(SmoothLayersTest, TheResidualSumStillReadsTheNorm) {
  ModelGraph model = NetOf(
      {"y = " + NormOf("x"), "return y + torch.linear(y, self.q, self.b)"},
      Weights(50));
  Smooth(model, Given(0.5));
  const std::vector<torch::jit::Node*> norms =
      NodesOf(model.graph(), "aten::layer_norm");
  ASSERT_EQ(norms.size(), 2);
  EXPECT_EQ(NodesOf(model.graph(), "aten::add")[0]->input(0),
            norms[0]->output());
  EXPECT_EQ(NodesOf(model.graph(), "aten::linear")[0]->input(0),
            norms[1]->output());
}

TEST(SmoothLayersTest, AValueThatIsWrittenToInPlaceStays) {
  ModelGraph model =
      NetOf({"y = " + NormOf("x"), "z = torch.linear(y, self.q, None)",
             "return z + y.mul_(2)"},
            Weights(50));
  EXPECT_THAT(Reasons(Smooth(model, Given(0.5))),
              Contains("layer_norm: an op in place writes to its values"));
}

TEST(SmoothLayersTest, StaysWhereParametersDoNotFit) {
  const auto reason = [](const at::Tensor& gamma, const at::Tensor& q) {
    ModelGraph model = NetOf({"y = torch.layer_norm(x, [64], self.gamma, None)",
                              "return torch.linear(y, self.q, None)"},
                             {{"gamma", gamma}, {"q", q}});
    EXPECT_FALSE(RunPass(SmoothLayers(Given(0.5)), model).changed);
    return Reasons(Smooth(model, Given(0.5)))[0];
  };
  const at::Tensor gamma = Normal({64}, 1);
  const at::Tensor q = Normal({8, 64}, 2);
  EXPECT_EQ(reason(gamma.to(at::kHalf), q),
            "layer_norm: its weight is of type Half");
  EXPECT_EQ(reason(at::full({64}, NAN), q),
            "layer_norm: its weight has values that are not finite");
  EXPECT_EQ(reason(at::ones({0}), q),
            "layer_norm: its parameters do not fit its shape");
  EXPECT_EQ(reason(gamma, q.to(at::kBFloat16)),
            "layer_norm: linear: its weight is of type BFloat16");
  EXPECT_EQ(reason(gamma, at::zeros({0, 64})),
            "layer_norm: linear: its weight has no channels to scale");
  EXPECT_EQ(reason(gamma, Normal({8, 32}, 2)),
            "layer_norm: linear takes another number of channels");
}

TEST(SmoothLayersTest, StaysInControlFlow) {
  ModelGraph model = NetOf({"y = " + NormOf("x"), "z = x", "if x.size(0) > 1:",
                            "  z = torch.linear(y, self.q, None)", "return z"},
                           Weights(50));
  EXPECT_EQ(Reasons(Smooth(model, Given(0.5)))[0],
            "layer_norm: its values are read inside of control flow");
}

TEST(SmoothLayersTest, StaysWithoutASampleOrAQConfig) {
  ModelGraph model = NetOf(
      {"return torch.linear(" + NormOf("x") + ", self.q, None)"}, Weights(50));
  SmoothLayers::Options options = Sampled(model, QConfigMapping());
  EXPECT_EQ(Reasons(Smooth(model, options))[0],
            "layer_norm: the linear layers that read it are not quantized");
  options.inputs.clear();
  EXPECT_EQ(Reasons(Smooth(model, options))[0],
            "layer_norm: no sample of its values is given");
}

TEST(SmoothLayersTest, SaysWhetherThereIsANorm) {
  ModelGraph model =
      NetOf({"return torch.linear(x, self.q, None)"}, Weights(1));
  const SmoothingReport report = Smooth(model, Given(0.5));
  EXPECT_FALSE(report.has_norm);
  EXPECT_THAT(report.tried, IsEmpty());
}

TEST(SmoothLayersTest, TakesTheLayersThatItIsToldTo) {
  ModelGraph model = NetOf(
      {"return torch.linear(" + NormOf("x") + ", self.q, None)"}, Weights(50));
  SmoothLayers::Options options = Given(0.5);
  options.takes = [](const std::string& first) {
    return first != "layer_norm";
  };
  EXPECT_FALSE(RunPass(SmoothLayers(options), model).changed);
}

TEST(SmoothLayersTest, BadOptionsAreErrors) {
  ModelGraph model = NetOf(
      {"return torch.linear(" + NormOf("x") + ", self.q, None)"}, Weights(50));
  PassContext context;
  for (const double exponent : {-0.1, 1.5, static_cast<double>(NAN)}) {
    EXPECT_THAT(MessageOf(SmoothLayers(Given(exponent)).Run(model, context)),
                HasSubstr("use a number from 0 to 1"));
  }
  SmoothLayers::Options options = Sampled(model);
  options.inputs["linear"].rows = at::ones({3, 5});
  EXPECT_EQ(MessageOf(SmoothLayers(options).Run(model, context)),
            "linear: the sample of its input is not rows of 64 finite numbers");
}

// The second one has a sample that does not fit: the first one stays, too.
TEST(SmoothLayersTest, AfterAnErrorTheModelIsAsItWas) {
  ModelGraph model =
      NetOf({"y = torch.linear(" + NormOf("x") + ", self.q, None)",
             "return torch.linear(" + NormOf("y") + ", self.k, None)"},
            Weights(50));
  const ModelGraph before = OrThrow(model.Clone());
  SmoothLayers::Options options = Given(0.5);
  options.inputs["linear@1"] = {at::ones({2, 5}), at::ones({5})};
  PassContext context;
  EXPECT_FALSE(SmoothLayers(options).Run(model, context).ok());
  EXPECT_TRUE(OutputOf(model, Input()).equal(OutputOf(before, Input())));
}

// Weights that would overflow.
TEST(SmoothLayersTest, WhatWouldNotBeFiniteStays) {
  Attributes weights = Weights(1000);
  weights[2].second.toTensor().mul_(5e37);
  ModelGraph model = NetOf(
      {"return torch.linear(" + NormOf("x") + ", self.q, None)"}, weights);
  const ModelGraph before = OrThrow(model.Clone());
  const SmoothingReport report = Smooth(model, Given(1));
  EXPECT_THAT(Reasons(report),
              Contains("layer_norm: linear: its weight would not be finite"));
  EXPECT_TRUE(
      ConstantOfCall(model, "aten::layer_norm", 0, "weight")
          .equal(ConstantOfCall(before, "aten::layer_norm", 0, "weight")));
}

// Rows of zeros are quantized without an error, however they are scaled.
TEST(SmoothLayersTest, WhatLosesNothingStays) {
  ModelGraph model = NetOf(
      {"return torch.linear(" + NormOf("x") + ", self.q, None)"}, Weights(50));
  const ModelGraph before = OrThrow(model.Clone());
  SmoothLayers::Options options = Sampled(model);
  for (auto& [name, sample] : options.inputs) {
    sample.rows = at::zeros_like(sample.rows);
  }
  const SmoothingReport report = Smooth(model, options);
  ASSERT_EQ(report.tried.size(), 1);
  EXPECT_FALSE(report.tried[0].is_smoothed);
  EXPECT_THAT(Reasons(report), Contains(HasSubstr("gains its readers less")));
  EXPECT_TRUE(
      ConstantOfCall(model, "aten::layer_norm", 0, "weight")
          .equal(ConstantOfCall(before, "aten::layer_norm", 0, "weight")));
}

TEST(SmoothLayersTest, QConfigsThatFindNoParametersAreRefused) {
  ModelGraph model = NetOf(
      {"return torch.linear(" + NormOf("x") + ", self.q, None)"}, Weights(50));
  QConfig scripted = Int8PerTensorQConfig();
  scripted.activation = SpecOf(ObserverKind::kScripted);
  QConfigMapping mapping;
  mapping.SetGlobal(scripted);
  EXPECT_THAT(Reasons(Smooth(model, Sampled(model, mapping)))[0],
              HasSubstr("what smoothing gains cannot be computed"));
}

// Norms whose parameters are one constant, as freezing makes of equal ones.
TEST(SmoothLayersTest, SharedParametersOfNormsAreCopied) {
  ModelGraph model =
      NetOf({"y = torch.linear(" + NormOf("x") + ", self.q, None)",
             "return " + NormOf("y")},
            Weights(50));
  const ModelGraph before = OrThrow(model.Clone());
  EXPECT_TRUE(RunPass(SmoothLayers(Given(0.5)), model).changed);
  EXPECT_TRUE(
      ConstantOfCall(model, "aten::layer_norm", 1, "weight")
          .equal(ConstantOfCall(before, "aten::layer_norm", 1, "weight")));
  ExpectSameOutputs(before, model, Input());
}

}  // namespace
}  // namespace ns
