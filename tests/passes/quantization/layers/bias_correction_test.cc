#include "passes/quantization/layers/bias_correction.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/ir/ir.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/graph/pass_context.h"
#include "ir/model/model_graph.h"
#include "passes/quantization/convert/convert_observers.h"
#include "passes/quantization/observe/insert_observers.h"
#include "passes/quantization/observe/observer_plan.h"
#include "passes/quantization/observe/prepared_model.h"
#include "tests/testing/float_model.h"
#include "tests/testing/ir.h"
#include "tests/testing/short_ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Weights with 3 bits: rounding them shifts the output much.
QConfig Coarse() {
  QConfig qconfig = Int8PerTensorQConfig();
  qconfig.weight.config.quant_min = -4;
  qconfig.weight.config.quant_max = 3;
  return qconfig;
}

// FloatModel(body), prepared to correct biases, and run on `batches`.
ModelGraph Gathered(const std::vector<std::string>& body,
                    const std::vector<at::Tensor>& batches) {
  ModelGraph model = FloatModel(body);
  ObserverPlanOptions options;
  options.mapping.SetGlobal(Coarse());
  options.input_means = true;
  PassContext context;
  OrThrow(InsertObservers(options).Run(model, context));
  for (const at::Tensor& batch : batches) {
    OrThrow(model.Run({batch}));
  }
  return model;
}

ConvertObserversOptions Correcting(bool corrects) {
  ConvertObserversOptions options;
  options.corrections.corrects_bias = [=](const std::string&) {
    return corrects;
  };
  return options;
}

at::Tensor OutputOf(const ModelGraph& model, const at::Tensor& x) {
  ModelGraph copy = OrThrow(model.Clone());
  return OrThrow(copy.Run({x})).toTensor();
}

// The mean of each channel, dimension 1.
at::Tensor MeanOf(const at::Tensor& x) {
  return x.transpose(0, 1).flatten(1).mean(1);
}

class BiasCorrectionTest : public ::testing::Test {
 protected:
  // How far the means of channels are from those of the float model on `x`,
  // the farthest.
  static double ShiftOf(const std::vector<std::string>& body,
                        const at::Tensor& x, bool corrects) {
    ModelGraph model = Gathered(body, {x});
    OrThrow(ConvertObservers(model, Correcting(corrects)));
    return (MeanOf(OutputOf(model, x)) - MeanOf(OutputOf(FloatModel(body), x)))
        .abs()
        .max()
        .item<double>();
  }
};

TEST_F(BiasCorrectionTest, MeansAreGatheredInFrontOfTheLayer) {
  const ModelGraph model =
      Gathered({absl::StrCat("return ", LinearOf("x"))}, {at::rand({4, 3})});
  ExpectShortIr(model.graph(), R"(
%1 = self.ns_observer_0.forward(%0)
%2 = ns::observed_weight(<Tensor>, 0)
%3 = self.ns_means_0.forward(%1)
%4 = self.ns_observer_2.forward(%3)
%5 = aten::linear(%4, %2, <Tensor>)
%6 = self.ns_observer_1.forward(%5)
return (%6))");
}

TEST_F(BiasCorrectionTest, TheBiasGetsTheShift) {
  const at::Tensor x = at::rand({64, 3});
  ModelGraph model = Gathered({absl::StrCat("return ", LinearOf("x"))}, {x});
  const at::Tensor weight = NodeOf(model.graph(), "ns::observed_weight")
                                ->input(0)
                                ->node()
                                ->t(c10::attr::value);
  const at::Tensor bias = NodeOf(model.graph(), "aten::linear")
                              ->input(2)
                              ->node()
                              ->t(c10::attr::value);
  const QuantizationReport report =
      OrThrow(ConvertObservers(model, Correcting(true)));
  EXPECT_TRUE(report.layers[0].has_corrected_bias);
  EXPECT_THAT(ShortIr(model.graph()), HasSubstr(R"(
%2 = aten::dequantize(%1)
%3 = aten::dequantize(<Tensor>)
%4 = aten::linear(%2, %3, <Tensor>)
)"));
  const torch::jit::Node* linear = NodeOf(model.graph(), "aten::linear");
  const at::Tensor quantized =
      linear->input(1)->node()->input(0)->node()->t(c10::attr::value);
  const at::Tensor expected =
      bias + (weight - quantized.dequantize()).matmul(x.mean(0));
  EXPECT_TRUE(linear->input(2)
                  ->node()
                  ->t(c10::attr::value)
                  .allclose(expected, 1e-4, 1e-5));
}

TEST_F(BiasCorrectionTest, MeansOfOutputsComeBack) {
  const std::vector<std::pair<std::vector<std::string>, at::Tensor>> cases = {
      {{absl::StrCat("return ", LinearOf("x"))}, at::rand({256, 3})},
      {{absl::StrCat("return ", ConvOf("x"))}, at::rand({16, 3, 8, 8})},
      {{"return torch.conv1d(x, self.w1, None, 2, 1)"}, at::rand({64, 3, 9})},
      {{"return torch._convolution(x, self.w2, self.b, [1, 1], [1, 1], [2, 2],"
        " False, [0, 0], 1, False, False, True, True)"},
       at::rand({16, 3, 8, 8})},
  };
  for (const auto& [body, x] : cases) {
    const double without = ShiftOf(body, x, false);
    const double with = ShiftOf(body, x, true);
    EXPECT_LT(with, 0.1 * without) << body[0] << " " << without;
  }
}

TEST_F(BiasCorrectionTest, OtherLayersStayAsTheyAre) {
  ModelGraph transposed =
      Gathered({"return torch.conv_transpose2d(x, self.w2, self.b)"},
               {at::rand({2, 3, 4, 4})});
  EXPECT_THAT(AttachedMeans(transposed.module()), IsEmpty());
  ModelGraph sum = Gathered({"return x + x"}, {at::rand({2, 3})});
  EXPECT_THAT(AttachedMeans(sum.module()), IsEmpty());
  // Not asked for.
  ModelGraph model =
      Gathered({absl::StrCat("return ", LinearOf("x"))}, {at::rand({4, 3})});
  const QuantizationReport report =
      OrThrow(ConvertObservers(model, Correcting(false)));
  EXPECT_FALSE(report.layers[0].has_corrected_bias);
  EXPECT_THAT(AttachedMeans(model.module()), IsEmpty());
}

TEST(BiasShiftTest, IsOfEachGroup) {
  const at::Tensor weight = at::tensor({1.0F, 2.0F, 3.0F, 4.0F});
  const at::Tensor quantized = at::tensor({1.0F, 1.5F, 2.0F, 5.0F});
  const at::Tensor mean = at::tensor({1.0, 10.0, 100.0, 1000.0}, at::kDouble);
  // Two layers of one input each, with two taps.
  EXPECT_TRUE(BiasShift(weight.reshape({2, 1, 2}), quantized.reshape({2, 1, 2}),
                        mean.reshape({2, 2}))
                  .equal(at::tensor({5.0F, -900.0F})));
  EXPECT_TRUE(BiasShift(weight.reshape({2, 2}), quantized.reshape({2, 2}),
                        mean.slice(0, 0, 2).reshape({2, 1}))
                  .equal(at::tensor({5.0F, -9.0F})));
}

TEST(BiasShiftTest, IsUndefinedForMeansThatDoNotFit) {
  const at::Tensor weight = at::ones({2, 3});
  EXPECT_FALSE(BiasShift(weight, weight, {}).defined());
  EXPECT_FALSE(
      BiasShift(weight, weight, at::ones({2, 1}, at::kDouble)).defined());
  EXPECT_FALSE(BiasShift(weight, at::zeros({2, 3}),
                         at::full({3, 1}, INFINITY, at::kDouble))
                   .defined());
}

// A bias that the graph computes cannot be corrected, and stays.
TEST_F(BiasCorrectionTest, ComputedBiasesStay) {
  const std::vector<std::string> body = {
      "return torch.linear(x, self.w, self.b * x.sum())"};
  const at::Tensor x = at::rand({4, 3});
  for (const bool corrects : {false, true}) {
    ModelGraph model = Gathered(body, {x});
    const QuantizationReport report =
        OrThrow(ConvertObservers(model, Correcting(corrects)));
    for (const LayerQuantization& layer : report.layers) {
      EXPECT_FALSE(layer.has_corrected_bias);
    }
  }
}

}  // namespace
}  // namespace ns
