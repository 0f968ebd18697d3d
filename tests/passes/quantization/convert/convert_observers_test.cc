#include "passes/quantization/convert/convert_observers.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/ir/ir.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/quantization/observe/prepared_model.h"
#include "tests/passes/quantization/convert/calibrated.h"
#include "tests/testing/float_model.h"
#include "tests/testing/ir.h"
#include "tests/testing/run_pass.h"
#include "tests/testing/short_ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// With MinMax observers, it has scale 0.1 and zero point 51.
const at::Tensor kX = at::tensor({-5.1F, 0.0F, 20.4F}).reshape({1, 3});

TEST(ConvertObserversTest, HasAName) {
  EXPECT_EQ(ConvertObserversPass().name(), "convert-observers");
}

TEST(ConvertObserversTest, ObserversBecomeQuantizeAndDequantize) {
  ModelGraph model = Calibrated({"return x + x"}, {kX});
  EXPECT_TRUE(RunPass(ConvertObserversPass(), model).changed);
  ExpectShortIr(model.graph(), R"(
%1 = aten::quantize_per_tensor(%0, 0.1, 51, 13)
%2 = aten::dequantize(%1)
%3 = aten::add(%2, %2, 1)
%4 = aten::quantize_per_tensor(%3, 0.2, 51, 13)
%5 = aten::dequantize(%4)
return (%5))");
}

TEST(ConvertObserversTest, WeightsBecomeConstants) {
  ModelGraph model = Calibrated({absl::StrCat("return ", LinearOf("x"))}, {kX});
  const at::Tensor weight = NodeOf(model.graph(), "ns::observed_weight")
                                ->input(0)
                                ->node()
                                ->t(c10::attr::value);
  const QuantizationReport report = OrThrow(ConvertObservers(model));
  const torch::jit::Node* linear = NodeOf(model.graph(), "aten::linear");
  const torch::jit::Node* dequantize = linear->input(1)->node();
  EXPECT_EQ(dequantize->kind(), c10::aten::dequantize);
  const at::Tensor quantized =
      dequantize->input(0)->node()->t(c10::attr::value);
  EXPECT_EQ(quantized.scalar_type(), at::kQInt8);
  EXPECT_TRUE(quantized.dequantize().allclose(weight, 0, 0.02));
  ASSERT_EQ(report.layers.size(), 1);
  EXPECT_EQ(report.layers[0].weight->scheme, "per_tensor_symmetric");
  EXPECT_THAT(report.layers[0].weight->scales,
              ElementsAre(quantized.q_scale()));
}

TEST(ConvertObserversTest, ConstantOperandsBecomeQuantizedConstants) {
  ModelGraph model = Calibrated({"return x + self.b"}, {kX});
  OrThrow(ConvertObservers(model));
  const torch::jit::Node* dequantize =
      NodeOf(model.graph(), "aten::add")->input(1)->node();
  EXPECT_EQ(dequantize->kind(), c10::aten::dequantize);
  EXPECT_TRUE(dequantize->input(0)->node()->t(c10::attr::value).is_quantized());
}

TEST(ConvertObserversTest, NoObserverIsLeft) {
  ModelGraph model = Calibrated(
      {absl::StrCat("return torch.max_pool2d(", ConvOf("x"), ", [2, 2])")},
      {at::rand({1, 3, 4, 4})});
  OrThrow(ConvertObservers(model));
  for (const torch::jit::Node* node : AllNodes(model.graph())) {
    EXPECT_NE(node->kind(), c10::prim::CallMethod);
    EXPECT_NE(node->kind(), c10::prim::GetAttr);
    EXPECT_THAT(node->kind().toQualString(), Not(HasSubstr("ns::")));
  }
  EXPECT_FALSE(IsPrepared(model.module()));
  EXPECT_EQ(model.module().named_attributes(false).size(), 0);
}

TEST(ConvertObserversTest, ReportHasScalesAndRanges) {
  ModelGraph model = Calibrated({"return x + x"}, {kX});
  const QuantizationReport report = OrThrow(ConvertObservers(model));
  ASSERT_EQ(report.layers.size(), 1);
  const LayerQuantization& layer = report.layers[0];
  EXPECT_EQ(layer.name, "add");
  EXPECT_EQ(layer.op, "aten::add");
  EXPECT_EQ(layer.qconfig, "int8 per tensor");
  EXPECT_EQ(layer.rule, "global");
  ASSERT_EQ(layer.inputs.size(), 2);
  EXPECT_FLOAT_EQ(layer.inputs[0].scale, 0.1);
  EXPECT_EQ(layer.inputs[0].zero_point, 51);
  EXPECT_FLOAT_EQ(layer.inputs[0].min, -5.1);
  EXPECT_FLOAT_EQ(layer.inputs[0].max, 20.4);
  EXPECT_FLOAT_EQ(layer.output->scale, 0.2);
  EXPECT_FALSE(layer.weight);
}

// Both arms, and what takes their value, have one scale.
TEST(ConvertObserversTest, SharedObserversGiveOneScale) {
  ModelGraph model =
      Calibrated({"if x.size(0) > 1:", "  a = x + 1",
                  "else:", "  a = torch.cat([x, x], 1)", "return a * a"},
                 {kX, at::full({2, 3}, 19.4F)});
  const QuantizationReport report = OrThrow(ConvertObservers(model));
  EXPECT_THAT(Quantized(report), ElementsAre("add", "cat", "mul"));
  EXPECT_EQ(report.layers[0].output->scale, report.layers[1].output->scale);
  EXPECT_EQ(report.layers[2].inputs[0].scale, report.layers[1].output->scale);
  EXPECT_EQ(report.layers[2].inputs[0].zero_point,
            report.layers[1].output->zero_point);
}

TEST(ConvertObserversTest, TheClampsRangeIsThatOfTheOpInFront) {
  ModelGraph model =
      Calibrated({"return torch.hardtanh(x + x, -5.1, 20.4)"}, {kX * 5});
  ExpectShortIr(model.graph(), R"(
%1 = self.ns_observer_0.forward(%0)
%2 = aten::add(%1, %1, 1)
%3 = self.ns_observer_1.hand_on(%2)
%4 = aten::hardtanh(%3, -5.1, 20.4)
%5 = self.ns_observer_1.forward(%4)
return (%5))");
  OrThrow(ConvertObservers(model));
  ExpectShortIr(model.graph(), R"(
%1 = aten::quantize_per_tensor(%0, 0.5, 51, 13)
%2 = aten::dequantize(%1)
%3 = aten::add(%2, %2, 1)
%4 = aten::quantize_per_tensor(%3, 0.1, 51, 13)
%5 = aten::dequantize(%4)
%6 = aten::hardtanh(%5, -5.1, 20.4)
%7 = aten::quantize_per_tensor(%6, 0.1, 51, 13)
%8 = aten::dequantize(%7)
return (%8))");
}

TEST(ConvertObserversTest, FixedRangesStayWhateverIsSeen) {
  ModelGraph model = Calibrated({"return torch.sigmoid(x + x)"}, {kX * 0});
  const QuantizationReport report = OrThrow(ConvertObservers(model));
  EXPECT_EQ(report.layers[1].output->scale, 1.0 / 256);
}

TEST(ConvertObserversTest, NonFiniteValuesAreCountedForTheirLayer) {
  at::Tensor x = kX.repeat({2, 1});
  x[0][0] = std::numeric_limits<float>::quiet_NaN();
  x[1][1] = -std::numeric_limits<float>::infinity();
  ModelGraph model =
      Calibrated({"return torch.relu(x + 1), torch.exp(x)"}, {x, kX});
  const QuantizationReport report = OrThrow(ConvertObservers(model));
  EXPECT_THAT(report.warnings,
              ElementsAre("add: 1 nan and 1 infinite values among its "
                          "activations; they do not count",
                          "add: 1 nan and 0 infinite values among its "
                          "activations; they do not count"));
  EXPECT_FLOAT_EQ(report.layers[0].inputs[0].max, 20.4);
}

TEST(ConvertObserversTest, RemarksOnLayersThatStayFloat) {
  ModelGraph model =
      Calibrated({"a = x + x", "return torch.exp(a), " + ConvOf("x")},
                 {at::rand({3, 4, 4})});
  const PassRun run = RunPass(ConvertObserversPass(), model);
  EXPECT_TRUE(run.changed);
  std::vector<std::string> remarks;
  for (const PassRemark& remark : run.remarks) {
    remarks.push_back(absl::StrCat(remark.op, ": ", remark.reason));
  }
  EXPECT_THAT(
      remarks,
      ElementsAre("aten::exp: it has no int8 form",
                  "aten::conv2d: its input has 3 dimensions; its int8 op "
                  "takes 4"));
}

TEST(ConvertObserversTest, ModelWithoutLayersNeedsNoCalibration) {
  ModelGraph model = Calibrated({"return torch.exp(x)"}, {});
  EXPECT_FALSE(RunPass(ConvertObserversPass(), model).changed);
  EXPECT_FALSE(IsPrepared(model.module()));
}

TEST(ConvertObserversTest, ModelThatSawNothingIsAnError) {
  for (const std::vector<at::Tensor>& batches :
       {std::vector<at::Tensor>{}, {at::empty({0, 3})}}) {
    ModelGraph model = Calibrated({"return x + x"}, batches);
    EXPECT_EQ(MessageOf(ConvertObservers(model)),
              "the model was not calibrated: no observer has seen a value; run "
              "it on sample batches first");
  }
}

TEST(ConvertObserversTest, ModelThatIsNotPreparedIsAnError) {
  ModelGraph model = FloatModel({"return x + x"});
  EXPECT_EQ(MessageOf(ConvertObservers(model)),
            "the model was not prepared; insert-observers has not run on it");
}

TEST(ConvertUncalibratedTest, EachObserverHasQParamsOfItsOwn) {
  ModelGraph model = Calibrated(
      {absl::StrCat("return torch.sigmoid(", LinearOf("x"), " * x)")}, {});
  const QuantizationReport report = OrThrow(ConvertUncalibrated(model));
  EXPECT_THAT(Quantized(report), ElementsAre("linear", "mul", "sigmoid"));
  EXPECT_NE(report.layers[0].inputs[0].scale, report.layers[0].output->scale);
  EXPECT_NE(report.layers[0].output->scale, report.layers[1].output->scale);
  EXPECT_EQ(report.layers[2].output->scale, 1.0 / 256);
  EXPECT_FALSE(IsPrepared(model.module()));
}

}  // namespace
}  // namespace ns
