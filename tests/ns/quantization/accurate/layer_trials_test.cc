#include "ns/quantization/accurate/layer_trials.h"

#include <ATen/ATen.h>

#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/quantization/model/quantize_model.h"
#include "tests/ns/quantization/quantizing.h"
#include "tests/testing/float_model.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsNan;

const GridRounding kCoarse = {{0.25, 8}, 0, 15};

double Sqnr(const at::Tensor& y, const at::Tensor& t) {
  const auto power = [](const at::Tensor& x) {
    return x.to(at::kDouble).square().sum().item<double>();
  };
  return 10 * std::log10(power(y) / power(y - t));
}

at::Tensor Rounded(const at::Tensor& x) {
  return at::fake_quantize_per_tensor_affine(x, 0.25, 8, 0, 15);
}

class LayerTrialsTest : public ::testing::Test {
 protected:
  LayerTrialsTest() {
    at::manual_seed(6);
    x_ = at::randn({4, 3, 8, 8});
  }

  std::vector<double> Measure(const std::vector<std::string>& body,
                              const std::vector<LayerTrial>& trials) const {
    const ModelGraph prepared = OrThrow(
        PrepareModel(FloatModel(body), Everywhere(Int8PerTensorQConfig())));
    return OrThrow(MeasureLayerTrials(prepared, BatchesOf({x_, -x_}), trials));
  }

  // Of a model with `body`, on both batches.
  at::Tensor Run(const std::vector<std::string>& body,
                 const at::Tensor& x) const {
    ModelGraph model = FloatModel(body);
    return Output(model, x);
  }

  // Drawn once the generator has its seed.
  at::Tensor x_;
};

TEST_F(LayerTrialsTest, MeasureTheLayerWithItsRelu) {
  const std::vector<std::string> net = {
      "return torch.relu(torch.conv2d(x, self.w2, self.b))"};
  LayerTrial input;
  input.input = kCoarse;
  LayerTrial weight;
  weight.weight = at::ones({3, 3, 3, 3});
  const at::Tensor both = at::cat({x_, -x_});
  const at::Tensor y = Run(net, both);
  const at::Tensor with_ones = Run(
      {"return torch.relu(torch.conv2d(x, torch.ones_like(self.w2), self.b))"},
      both);
  const std::vector<double> measured =
      Measure(net, {input, weight, LayerTrial()});
  EXPECT_NEAR(measured[0], Sqnr(y, Run(net, Rounded(both))), 1e-3);
  EXPECT_NEAR(measured[1], Sqnr(y, with_ones), 1e-3);
  EXPECT_GT(measured[2], 100);
}

TEST_F(LayerTrialsTest, OtherLayersComputeInFloat) {
  const std::vector<std::string> first = {
      "return torch.conv2d(x, self.w2, self.b)"};
  const std::vector<std::string> net = {
      "y = torch.conv2d(x, self.w2, self.b)",
      "return torch.conv2d(y, self.w2, self.b)"};
  LayerTrial trial;
  trial.layer = 1;
  trial.input = kCoarse;
  const at::Tensor y = Run(first, at::cat({x_, -x_}));
  const std::vector<double> measured = Measure(net, {trial, trial});
  EXPECT_NEAR(measured[0], Sqnr(Run(first, y), Run(first, Rounded(y))), 1e-3);
  EXPECT_EQ(measured[0], measured[1]);
}

TEST_F(LayerTrialsTest, OfAnInputMeasureTheInput) {
  LayerTrial trial;
  trial.input = kCoarse;
  trial.of_input = true;
  const at::Tensor both = at::cat({x_, -x_});
  EXPECT_NEAR(Measure({"return torch.conv2d(x, self.w2, self.b)"}, {trial})[0],
              Sqnr(both, Rounded(both)), 1e-3);
}

TEST_F(LayerTrialsTest, WorkInControlFlow) {
  LayerTrial trial;
  trial.layer = 1;
  trial.input = kCoarse;
  const auto measured = [&](const std::string& condition) {
    return Measure({"y = torch.conv2d(x, self.w2, self.b)",
                    absl::StrCat("if bool(y.sum() ", condition, "):"),
                    "  y = torch.conv2d(y, self.w2, self.b) + 1", "return y"},
                   {trial})[0];
  };
  EXPECT_GT(measured("> -1e6"), 0);
  // It never runs.
  EXPECT_THAT(measured("> 1e6"), IsNan());
}

TEST_F(LayerTrialsTest, WhatIsNoLayerWithAWeightHasNone) {
  LayerTrial sum;
  sum.layer = 0;
  LayerTrial nowhere;
  nowhere.layer = 12;
  EXPECT_THAT(Measure({"return x + x"}, {sum, nowhere}),
              ElementsAre(IsNan(), IsNan()));
}

TEST_F(LayerTrialsTest, BatchesThatDoNotFitAreErrors) {
  const ModelGraph model = FloatModel({"return " + ConvOf("x")});
  EXPECT_FALSE(MeasureLayerTrials(model, BatchesOf({x_}), {}).ok());
  const ModelGraph prepared =
      OrThrow(PrepareModel(model, Everywhere(Int8PerTensorQConfig())));
  EXPECT_FALSE(
      MeasureLayerTrials(prepared, BatchesOf({at::ones({2, 2})}), {}).ok());
}

}  // namespace
}  // namespace ns
