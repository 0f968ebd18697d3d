#include "ns/quantization/model/quantize_model.h"

#include <ATen/Context.h>
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/quantization/observe/prepared_model.h"
#include "tests/ns/quantization/quantizing.h"
#include "tests/testing/float_model.h"
#include "tests/testing/ir.h"
#include "tests/testing/short_ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::vector<std::string> kConvNet = {
    absl::StrCat("y = torch.relu(", ConvOf("x"), ")"),
    absl::StrCat("y = torch.max_pool2d(y + torch.relu6(", ConvOf("y"),
                 "), [2, 2])"),
    "return torch.linear(y.mean([2, 3]), self.w, self.b)"};

std::vector<at::Tensor> Images(int count = 3) {
  std::vector<at::Tensor> images;
  for (int i = 0; i < count; ++i) {
    images.push_back(at::randn({2, 3, 8, 8}));
  }
  return images;
}

class QuantizeModelTest : public testing::Test {
 protected:
  QuantizeModelTest() { at::manual_seed(1); }
};

TEST_F(QuantizeModelTest, LayersBecomeQuantizedOps) {
  const QuantizedModel quantized = Quantize(
      {absl::StrCat("return torch.relu(", LinearOf("x"), ").flatten()")},
      {at::rand({4, 3})});
  const std::string text = ShortIr(quantized.model.graph());
  EXPECT_THAT(text, testing::ContainsRegex(
                        "%1 = aten::quantize_per_tensor.%0, .*, 13.\n"
                        "%2 = quantized::linear_relu.%1, <Object>, .*, 0.\n"
                        "%3 = aten::flatten.%2, 0, -1.\n"
                        "%4 = aten::dequantize.%3.\n"
                        "return .%4."));
  EXPECT_THAT(StayedFloat(quantized), IsEmpty());
}

// Also what could run on quantized values as it is.
TEST_F(QuantizeModelTest, OpsThatAreKeptTakeFloats) {
  const std::vector<std::string> body = {
      "return torch.channel_shuffle(x + x, 2)"};
  const at::Tensor x = at::rand({2, 4, 3, 3});
  const auto takes_floats = [&](const QuantizeOptions& options) {
    const QuantizedModel quantized = Quantize(body, {x}, options);
    const torch::jit::Node& node =
        *NodeOf(quantized.model.graph(), "aten::channel_shuffle");
    return node.input(0)->node()->kind() == c10::aten::dequantize;
  };
  QuantizeOptions options;
  EXPECT_FALSE(takes_floats(options));
  options.keep = {"channel_shuffle"};
  EXPECT_TRUE(takes_floats(options));
}

// Also between an int8 op and what quantizes their values for the next one.
TEST_F(QuantizeModelTest, OpsThatAreKeptBetweenInt8OpsComputeInFloat) {
  const std::vector<std::string> body = {
      absl::StrCat("a = torch.relu(", ConvOf("x"), ")"),
      "n = torch.relu(torch.batch_norm(a, self.gamma, self.beta, self.b, "
      "self.b * self.b + 1, False, 0.1, 1e-5, False))",
      absl::StrCat("return ", ConvOf("n"))};
  const at::Tensor x = at::rand({2, 3, 8, 8});
  const auto count = [&](const QuantizeOptions& options) {
    return NodesOf(Quantize(body, {x}, options).model.graph(),
                   "aten::batch_norm")
        .size();
  };
  QuantizeOptions options;
  EXPECT_EQ(count(options), 0);
  options.keep = {"batch_norm"};
  EXPECT_EQ(count(options), 1);
}

TEST_F(QuantizeModelTest, PreparedModelComputesWhatTheFloatOneDoes) {
  for (const Backend backend :
       {Backend::kFbgemm, Backend::kOnednn, Backend::kQnnpack}) {
    QuantizeOptions options;
    options.backend = backend;
    ModelGraph model = FloatModel(kConvNet);
    ModelGraph prepared = OrThrow(PrepareModel(model, options));
    for (const at::Tensor& x : Images()) {
      EXPECT_TRUE(Output(prepared, x).equal(Output(model, x)));
    }
  }
}

TEST_F(QuantizeModelTest, FoldedNormsRound) {
  ModelGraph model = FloatModel(
      {absl::StrCat("y = ", ConvOf("x")),
       "return torch.batch_norm(y, self.gamma, self.beta, self.b, self.b * "
       "self.b, False, 0.1, 1e-5, False)"});
  ModelGraph prepared = OrThrow(PrepareModel(model, {}));
  for (const at::Tensor& x : Images()) {
    EXPECT_TRUE(Output(prepared, x).allclose(Output(model, x), 1e-4, 1e-4));
  }
  EXPECT_TRUE(NodesOf(prepared.graph(), "aten::batch_norm").empty());
}

// LibTorch's kernel for channels-last tensors, as convolutions give them, mixes
// up the samples of a batch that has many for the size of its images.
TEST_F(QuantizeModelTest, NormsOfManySmallImagesAreRight) {
  for (const std::string norm :
       {"torch.group_norm(y, 3, self.gamma, self.beta, 1e-5)",
        "torch.group_norm(y, 1, self.gamma, self.beta, 1e-5)",
        "torch.instance_norm(y, self.gamma, self.beta, None, None, True, 0.1, "
        "1e-5, False)"}) {
    const std::vector<std::string> body = {
        absl::StrCat("y = ", ConvOf("x")),
        absl::StrCat("return ", norm, " * 2")};
    const at::Tensor x = at::randn({64, 3, 2, 2});
    QuantizedModel quantized = Quantize(body, {x});
    EXPECT_EQ(quantized.report.layers.size(), 3) << norm;
    ModelGraph model = FloatModel(body);
    const at::Tensor expected = Output(model, x);
    const at::Tensor error = Output(quantized.model, x) - expected;
    EXPECT_LT(error.norm().item<double>(), 0.1 * expected.norm().item<double>())
        << norm;
  }
}

TEST_F(QuantizeModelTest, TheSourceModelStays) {
  ModelGraph model = FloatModel(kConvNet);
  const std::string before = ShortIr(model.graph());
  const at::Tensor x = Images(1)[0];
  const at::Tensor y = Output(model, x).clone();
  OrThrow(QuantizeModel(model, BatchesOf(Images()), {}));
  EXPECT_EQ(ShortIr(model.graph()), before);
  EXPECT_FALSE(IsPrepared(model.module()));
  EXPECT_TRUE(Output(model, x).equal(y));
}

TEST_F(QuantizeModelTest, ConvertingLeavesThePreparedModel) {
  const std::vector<at::Tensor> images = Images();
  ModelGraph prepared = OrThrow(PrepareModel(FloatModel(kConvNet), {}));
  NS_ASSERT_OK(Calibrate(prepared, BatchesOf({images[0]})));
  QuantizedModel early = OrThrow(ConvertModel(prepared, {}));
  NS_ASSERT_OK(Calibrate(prepared, BatchesOf({images[1], images[2]})));
  QuantizedModel late = OrThrow(ConvertModel(prepared, {}));
  QuantizedModel whole = Quantize(kConvNet, images);
  EXPECT_TRUE(
      Output(late.model, images[0]).equal(Output(whole.model, images[0])));
  EXPECT_FALSE(
      Output(early.model, images[0]).equal(Output(whole.model, images[0])));
}

// The sum of the errors of input, weight and output.
TEST_F(QuantizeModelTest, ErrorsAreThoseOfRounding) {
  for (const bool reference : {true, false}) {
    QuantizeOptions options = Everywhere(Int8PerTensorQConfig());
    options.reference = reference;
    const std::vector<std::string> body = {
        absl::StrCat("return ", LinearOf("x"))};
    const at::Tensor x = at::randn({20, 3});
    QuantizedModel quantized = Quantize(body, {x}, options);
    const LayerQuantization& layer = quantized.report.layers[0];
    ModelGraph model = FloatModel(body);
    const at::Tensor weight = NodeOf(model.graph(), "aten::linear")
                                  ->input(1)
                                  ->node()
                                  ->t(c10::attr::value);
    const double of_x = layer.inputs[0].scale / 2;
    const double of_weight = layer.weight->scales[0] / 2;
    const at::Tensor bound =
        of_x * weight.abs().sum(1) +
        of_weight * x.abs().sum(1, /*keepdim=*/true) +
        (3 * of_x * of_weight + layer.output->scale / 2 + 1e-5);
    const at::Tensor error = Output(quantized.model, x) - Output(model, x);
    EXPECT_TRUE((error.abs() <= bound).all().item<bool>());
    EXPECT_GT(error.abs().max().item<double>(), 0);
  }
}

TEST_F(QuantizeModelTest, FoldingChangesAStepAtMost) {
  QuantizeOptions options;
  options.reference = true;
  const std::vector<at::Tensor> images = Images();
  QuantizedModel reference = Quantize(kConvNet, images, options);
  QuantizedModel folded = Quantize(kConvNet, images);
  ExpectNeedsLibTorchOnly(reference.model);
  ExpectNeedsLibTorchOnly(folded.model);
  // Two layers and a sum are in front of the last one.
  const double step = folded.report.layers.back().output->scale;
  for (const at::Tensor& x : images) {
    EXPECT_TRUE(Output(folded.model, x)
                    .allclose(Output(reference.model, x), 0, 2.01 * step));
  }
}

// A sum that LibTorch has no kernel for, or that is kept, is not the sum next
// to it.
TEST_F(QuantizeModelTest, OneOfSeveralOpsOfAModuleStaysFloat) {
  EXPECT_THAT(
      StayedFloat(Quantize({"a = x + self.b", "return a.add(x, alpha=2)"},
                           {at::rand({4, 3})})),
      ElementsAre("add@1: it multiplies its second operand"));
  QuantizeOptions options;
  options.keep = {"linear"};
  EXPECT_THAT(StayedFloat(Quantize({absl::StrCat("a = ", LinearOf("x")),
                                    absl::StrCat("return ", LinearOf("a"))},
                                   {at::rand({4, 3})}, options)),
              ElementsAre("linear: kept in float ('linear')",
                          "linear@1: kept in float ('linear')"));
  options.keep = {"linear@1"};
  const QuantizedModel quantized =
      Quantize({absl::StrCat("a = ", LinearOf("x")),
                absl::StrCat("return ", LinearOf("a"))},
               {at::rand({4, 3})}, options);
  EXPECT_THAT(StayedFloat(quantized),
              ElementsAre("linear@1: kept in float ('linear@1')"));
  EXPECT_EQ(NodesOf(quantized.model.graph(), "quantized::linear").size(), 1);
}

// What cannot be folded is not quantized, and said, where PyTorch would leave
// it between quantize and dequantize.
TEST_F(QuantizeModelTest, WhatCannotBeFoldedStaysFloat) {
  const std::vector<std::string> body = {
      absl::StrCat("return ", LinearOf("x"), " * x.size(0)")};
  const QuantizedModel quantized = Quantize(body, {at::rand({4, 3})});
  EXPECT_THAT(StayedFloat(quantized),
              ElementsAre("mul: its operand is not constant"));
  EXPECT_EQ(
      NodesOf(quantized.model.graph(), "aten::quantize_per_tensor").size(), 1);
  QuantizeOptions reference;
  reference.reference = true;
  EXPECT_THAT(StayedFloat(Quantize(body, {at::rand({4, 3})}, reference)),
              IsEmpty());
}

TEST_F(QuantizeModelTest, ConstantOperandsAreFolded) {
  const QuantizedModel quantized =
      Quantize({"return x * self.b + 1.5"}, {at::rand({4, 3})});
  EXPECT_THAT(StayedFloat(quantized), IsEmpty());
  EXPECT_EQ(NodesOf(quantized.model.graph(), "quantized::mul").size(), 1);
  EXPECT_EQ(NodesOf(quantized.model.graph(), "quantized::add").size(), 1);
}

TEST_F(QuantizeModelTest, TheEngineIsAsBefore) {
  const at::QEngine before = at::globalContext().qEngine();
  QuantizeOptions options;
  options.backend = Backend::kQnnpack;
  Quantize(kConvNet, Images(), options);
  EXPECT_EQ(at::globalContext().qEngine(), before);
}

TEST_F(QuantizeModelTest, ProgressTellsEachBatch) {
  std::vector<std::pair<int64_t, int64_t>> calls;
  QuantizeOptions options;
  options.progress = [&](int64_t done, int64_t total) {
    calls.emplace_back(done, total);
  };
  Quantize(kConvNet, Images(), options);
  EXPECT_THAT(calls, ElementsAre(std::pair<int64_t, int64_t>(1, 3),
                                 std::pair<int64_t, int64_t>(2, 3),
                                 std::pair<int64_t, int64_t>(3, 3)));
}

TEST_F(QuantizeModelTest, DynamicModelsNeedNoBatches) {
  QuantizeOptions options;
  options.mode = QuantizeMode::kDynamic;
  QuantizedModel quantized = Quantize(
      {absl::StrCat("return torch.exp(", LinearOf("x"), ")")}, {}, options);
  EXPECT_EQ(
      NodesOf(quantized.model.graph(), "quantized::linear_dynamic").size(), 1);
  ExpectNeedsLibTorchOnly(quantized.model);
}

// Weights of four bits, which the prepared model has already.
TEST_F(QuantizeModelTest, WeightOnlyQConfigsNeedNoBatches) {
  QuantizedModel quantized = OrThrow(ConvertModel(
      OrThrow(PrepareModel(FloatModel({absl::StrCat("return ", LinearOf("x"))}),
                           Everywhere(Int4WeightsQConfig()))),
      {}));
  ASSERT_EQ(quantized.report.layers.size(), 1);
  EXPECT_EQ(quantized.report.layers[0].qconfig, "int4 weights");
  ExpectNeedsLibTorchOnly(quantized.model);
}

TEST_F(QuantizeModelTest, MixedMappingsQuantizeEachLayerItsWay) {
  QuantizeOptions options;
  options.mapping =
      QConfigMapping()
          .SetGlobal(Int8PerChannelQConfig())
          .SetModuleNameObjectTypeOrder("", "linear", 1, DynamicQConfig());
  const QuantizedModel quantized =
      Quantize({absl::StrCat("a = ", LinearOf("x")),
                absl::StrCat("return ", LinearOf("a"))},
               {at::rand({4, 3})}, options);
  EXPECT_EQ(NodesOf(quantized.model.graph(), "quantized::linear").size(), 1);
  EXPECT_EQ(
      NodesOf(quantized.model.graph(), "quantized::linear_dynamic").size(), 1);
  EXPECT_THAT(StayedFloat(quantized), IsEmpty());
}

// As they are called and counted in the float model, whatever is replaced.
TEST_F(QuantizeModelTest, LayersBehindDynamicOnesKeepTheirNames) {
  QuantizeOptions options = Everywhere(Int8PerTensorQConfig());
  options.mapping->SetModuleNameObjectTypeOrder("", "linear", 0,
                                                DynamicQConfig());
  options.mapping->SetModuleNameObjectTypeOrder("", "linear", 3,
                                                Int8PerChannelQConfig());
  options.keep = {"linear@2"};
  const QuantizedModel quantized = Quantize(
      {absl::StrCat("a = ", LinearOf("x")), absl::StrCat("a = ", LinearOf("a")),
       absl::StrCat("a = ", LinearOf("a")),
       absl::StrCat("return ", LinearOf("a"))},
      {at::rand({4, 3})}, options);
  std::vector<std::string> layers;
  for (const LayerQuantization& layer : quantized.report.layers) {
    layers.push_back(absl::StrCat(layer.name, ": ", layer.qconfig));
  }
  EXPECT_THAT(layers,
              ElementsAre("linear: dynamic", "linear@1: int8 per tensor",
                          "linear@3: int8 per channel"));
  EXPECT_THAT(StayedFloat(quantized),
              ElementsAre("linear@2: kept in float ('linear@2')"));
}

TEST_F(QuantizeModelTest, RulesThatChooseNothingAreTold) {
  QuantizeOptions options = Everywhere(Int8PerTensorQConfig());
  options.mapping->SetModuleName("nowhere", std::nullopt);
  options.keep = {"nothing.*"};
  EXPECT_THAT(Quantize({absl::StrCat("return ", LinearOf("x"))},
                       {at::rand({4, 3})}, options)
                  .report.unused_rules,
              ElementsAre("module name 'nowhere'", "keep 'nothing.*'"));
}

TEST_F(QuantizeModelTest, InvalidMappingIsAnError) {
  QuantizeOptions options;
  options.mapping =
      QConfigMapping().SetModuleNameRegex("a[", Int8PerTensorQConfig());
  EXPECT_NE(MessageOf(PrepareModel(FloatModel(kConvNet), options)), "");
}

}  // namespace
}  // namespace ns
