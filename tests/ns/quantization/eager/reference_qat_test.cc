// PyTorch's cases of models that are trained with fake quantization, see
// tests/README.md.
#include <ATen/ATen.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/optim/sgd.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/quantization/eager/quantize.h"
#include "ns/quantization/eager/stubs.h"
#include "passes/quantization/qconfig/default_qconfigs.h"
#include "passes/runtime/observers/fake_quantize.h"
#include "tests/ns/quantization/eager/reference_models.h"
#include "tests/ns/quantization/eager/two_linears.h"
#include "tests/testing/engines.h"
#include "tests/testing/hooks.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::torch::jit::Module;

constexpr char kDynamicQatLinear[] =
    "torch.ao.nn.qat.dynamic.modules.linear.Linear";

Module InTraining(Module model) {
  model.train();
  return model;
}

// Two steps on random inputs, with the mean square of the output as the loss.
absl::Status TrainOn(Module& model, const std::vector<int64_t>& shape) {
  std::vector<at::Tensor> parameters;
  for (at::Tensor parameter : model.parameters()) {
    parameters.push_back(parameter.set_requires_grad(true));
  }
  torch::optim::SGD optimizer(parameters, 0.01);
  for (int i = 0; i < 2; ++i) {
    optimizer.zero_grad();
    OutputOf(model, at::randn(shape)).square().mean().backward();
    optimizer.step();
  }
  return absl::OkStatus();
}

class ReferenceQatTest : public EngineTest {
 protected:
  ReferenceQatTest() { at::manual_seed(1); }

  static QConfig EngineQConfig() {
    return OrThrow(GetDefaultQatQConfig(
        GetParam() == at::kONEDNN ? Backend::kOnednn : Backend::kQnnpack));
  }

  // What Convert makes of the trained model, whose modules `observed` are
  // observed, after QuantizeQat gave modules of the same types.
  static Module TrainedAndQuantized(const Module& model,
                                    const std::vector<int64_t>& shape,
                                    const std::vector<std::string>& observed) {
    const QConfigSpec spec = {{"", EngineQConfig()}};
    Module prepared = OrThrow(PrepareQat(InTraining(model), spec));
    EXPECT_EQ(ObservedPaths(prepared), observed);
    NS_EXPECT_OK(TrainOn(prepared, shape));
    Module quantized = OrThrow(Convert(prepared));
    quantized.eval();
    ExpectStandsAlone(quantized, at::randn(shape));
    const Module at_once =
        OrThrow(QuantizeQat(InTraining(model), spec, [&](Module& trained) {
          return TrainOn(trained, shape);
        }));
    for (const auto& module : quantized.named_children()) {
      EXPECT_EQ(TypeAtPath(at_once, module.name),
                TypeAtPath(quantized, module.name));
    }
    return quantized;
  }
};

TEST_P(ReferenceQatTest, LinearLayersAreTrained) {
  const Module quantized =
      TrainedAndQuantized(TwoLinears(), {6, 3}, {"quant", "a", "b"});
  EXPECT_EQ(TypeAtPath(quantized, "a"), kQuantizedLinear);
  EXPECT_EQ(TypeAtPath(quantized, "b"), kQuantizedLinear);
}

TEST_P(ReferenceQatTest, DropoutIsNotObservedAndHandsOnWhatIsQuantized) {
  const Module dropout = MakeModule("torch.nn.modules.dropout.Dropout",
                                    "def forward(self, x: Tensor) -> Tensor:\n"
                                    "    return torch.dropout(x, 0.5, "
                                    "self.training)\n");
  const Module quantized = TrainedAndQuantized(
      MakeModel({{"quant", QuantStub()},
                 {"fc1", RandomLinear(5, 1)},
                 {"dropout", dropout},
                 {"dequant", DeQuantStub()}},
                {"y = self.fc1.forward(self.quant.forward(x))",
                 "return self.dequant.forward(self.dropout.forward(y))"}),
      {6, 5}, {"quant", "fc1"});
  EXPECT_EQ(TypeAtPath(quantized, "fc1"), kQuantizedLinear);
  EXPECT_EQ(TypeAtPath(quantized, "dropout"),
            "torch.ao.nn.quantized.modules.dropout.Dropout");
}

TEST_P(ReferenceQatTest, ConvolutionsAreTrainedWithLinearLayers) {
  const Module quantized = TrainedAndQuantized(
      MakeModel({{"quant", QuantStub()},
                 {"conv", Conv2d(at::randn({1, 3, 3, 3}))},
                 {"fc1", RandomLinear(64, 10)},
                 {"fc2", RandomLinear(10, 10)},
                 {"dequant", DeQuantStub()}},
                {"y = self.conv.forward(self.quant.forward(x))",
                 "y = self.fc1.forward(y.view([-1, 64]).contiguous())",
                 "return self.dequant.forward(self.fc2.forward(y))"}),
      {2, 3, 10, 10}, {"quant", "conv", "fc1", "fc2"});
  EXPECT_EQ(TypeAtPath(quantized, "conv"),
            "torch.ao.nn.quantized.modules.conv.Conv2d");
  EXPECT_EQ(TypeAtPath(quantized, "fc1"), kQuantizedLinear);
  EXPECT_EQ(TypeAtPath(quantized, "fc2"), kQuantizedLinear);
}

// What quantizing will cost is seen without training.
TEST_P(ReferenceQatTest, ValuesAreRoundedInEvaluationToo) {
  const Module model = TwoLinears();
  Module prepared =
      OrThrow(PrepareQat(InTraining(model), {{"", EngineQConfig()}}));
  prepared.eval();
  const at::Tensor x = at::randn({6, 3});
  ExpectNear(OutputOf(prepared, x), OutputOf(model, x));
  EXPECT_FALSE(OutputOf(prepared, x).equal(OutputOf(model, x)));
}

TEST_P(ReferenceQatTest, DynamicLayersAreTrained) {
  const Module model =
      MakeModel({{"fc1", RandomLinear(5, 1)}, {"fc2", RandomLinear(1, 10)}},
                {"return self.fc2.forward(self.fc1.forward(x))"});
  PrepareQatOptions prepare;
  prepare.mapping = {{"Linear", kDynamicQatLinear}};
  EXPECT_THAT(
      MessageOf(
          PrepareQat(InTraining(model), {{"", DefaultQatQConfig()}}, prepare)),
      HasSubstr("a dynamic layer is trained with an observer that keeps "
                "the newest batch alone"));
  Module prepared = OrThrow(PrepareQat(
      InTraining(model), {{"", DefaultDynamicQatQConfig()}}, prepare));
  EXPECT_THAT(ObservedPaths(prepared), ElementsAre("fc1", "fc2"));
  for (const char* path : {"fc1", "fc2"}) {
    EXPECT_EQ(TypeAtPath(prepared, path), kDynamicQatLinear);
  }
  NS_ASSERT_OK(TrainOn(prepared, {6, 5}));
  ConvertOptions convert;
  convert.mapping = {{kDynamicQatLinear, kDynamicLinear}};
  const Module quantized = OrThrow(Convert(prepared, convert));
  for (const char* path : {"fc1", "fc2"}) {
    EXPECT_EQ(TypeAtPath(quantized, path), kDynamicLinear);
  }
  ExpectStandsAlone(quantized, at::randn({6, 5}));
}

TEST_P(ReferenceQatTest, StateLoadsIntoAModelThatWasNotTrained) {
  const auto model = [] {
    return Wrapped(TwoLayers(RandomLinear(5, 8), RandomLinear(8, 5)));
  };
  const QConfigSpec spec = {{"", EngineQConfig()}};
  Module prepared = OrThrow(PrepareQat(InTraining(model()), spec));
  Module fresh = OrThrow(PrepareQat(InTraining(model()), spec));
  NS_ASSERT_OK(TrainOn(prepared, {6, 5}));
  EXPECT_EQ(StateNames(fresh), StateNames(prepared));
  const Module trained = OrThrow(Convert(prepared));
  const at::Tensor x = at::randn({2, 5});
  const at::Tensor expected = OutputOf(trained, x);
  Module untrained = OrThrow(Convert(fresh));
  // Quantized models have the same state, however they came to be.
  Module calibrated = OrThrow(Convert(OrThrow(Prepare(model(), spec))));
  for (Module* other : {&untrained, &calibrated}) {
    EXPECT_FALSE(OutputOf(*other, x).equal(expected));
    EXPECT_EQ(StateNames(*other), StateNames(trained));
    LoadState(trained, *other);
    EXPECT_TRUE(OutputOf(*other, x).equal(expected));
  }
}

TEST_P(ReferenceQatTest, HooksRunInTrainingAndWhenQuantized) {
  Module model = Wrapped(RandomLinear(5, 5));
  AddPreHook(
      "def clip_input(self, input: Tuple[Tensor]) -> Tuple[Tensor]:\n"
      "  return (input[0].clamp(-1, 0.5),)\n",
      "module", model);
  AddHook(
      "def clip(self, input: Tuple[Tensor], output: Tensor) -> Tensor:\n"
      "  assert input[0].dequantize().max().item() <= 0.55\n"
      "  return output.clamp(-0.25, 0.25)\n",
      "module", model);
  Module prepared =
      OrThrow(PrepareQat(InTraining(model), {{"", EngineQConfig()}}));
  NS_ASSERT_OK(TrainOn(prepared, {20, 5}));
  const at::Tensor x = at::randn({20, 5});
  EXPECT_NEAR(OutputOf(prepared, x).abs().max().item<float>(), 0.25, 0.02);
  Module quantized = OrThrow(Convert(prepared));
  EXPECT_EQ(TypeAtPath(quantized, "module"), kQuantizedLinear);
  EXPECT_NEAR(OutputOf(quantized, x).abs().max().item<float>(), 0.25, 0.02);
}

TEST_P(ReferenceQatTest, SumsAndProductsWithNumbersScaleTheirInput) {
  for (const bool is_sum : {true, false}) {
    const Module model = MakeModel(
        {{"quant", QuantStub()}, {"ff", FloatFunctional()}},
        {absl::StrCat("return self.ff.", is_sum ? "add_scalar" : "mul_scalar",
                      "(self.quant.forward(x), ", is_sum ? "1.0" : "2.0",
                      ")")});
    Module prepared =
        OrThrow(PrepareQat(InTraining(model), {{"", DefaultQConfig()}}));
    OutputOf(prepared, at::randn({4, 4}));
    const Module quantized = OrThrow(Convert(prepared));
    const double scale =
        ChildAt(quantized, "quant").attr("scale").toTensor().item<double>();
    EXPECT_NEAR(OutputOf(quantized, at::randn({4, 4})).q_scale(),
                is_sum ? scale : 2 * scale, 1e-5);
  }
}

TEST_P(ReferenceQatTest, QConfigsOfEmbeddingsStayAsTheyAre) {
  const Module model = MakeModel(
      {{"emb", MakeModule("torch.nn.modules.sparse.Embedding",
                          "def forward(self, x: Tensor) -> Tensor:\n"
                          "    return torch.embedding(self.weight, x)\n",
                          {{"weight", at::randn({10, 12})}})},
       {"quant", QuantStub()},
       {"linear", RandomLinear(12, 1)}},
      {"y = self.quant.forward(self.emb.forward(x))",
       "return self.linear.forward(y)"});
  const Module prepared = OrThrow(PrepareQat(
      InTraining(model),
      {{"", EngineQConfig()}, {"emb", DefaultEmbeddingQatQConfig()}}));
  EXPECT_EQ(OrThrow(QConfigOf(ChildAt(prepared, "emb"))),
            OptionalQConfig(DefaultEmbeddingQatQConfig()));
  EXPECT_EQ(OrThrow(QConfigOf(ChildAt(prepared, "linear"))),
            OptionalQConfig(EngineQConfig()));
}

TEST_P(ReferenceQatTest, BoundedActivationsHaveFixedFakeQuantizations) {
  const Module model = MakeModel(
      {{"quant", QuantStub()},
       {"sigmoid", Elementwise("activation.Sigmoid", "torch.sigmoid(x)")},
       {"hardsigmoid",
        Elementwise("activation.Hardsigmoid", "torch.hardsigmoid(x)")},
       {"tanh", Elementwise("activation.Tanh", "torch.tanh(x)")},
       {"dequant", DeQuantStub()}},
      {"y = self.sigmoid.forward(self.quant.forward(x))",
       "y = self.tanh.forward(self.hardsigmoid.forward(y))",
       "return self.dequant.forward(y)"});
  Module prepared =
      OrThrow(PrepareQat(InTraining(model), {{"", DefaultQatQConfig()}}));
  for (const char* path : {"sigmoid", "hardsigmoid", "tanh"}) {
    const auto fake = ChildAt(prepared, path)
                          .attr(kObserverAttribute)
                          .toCustomClass<FakeQuantize>();
    EXPECT_EQ(fake->observer()->config().kind, ObserverKind::kFixedQParams);
  }
  const at::Tensor x = at::randn({1, 3, 2, 4});
  const at::Tensor before = OutputOf(prepared, x);
  const Module quantized = OrThrow(Convert(prepared));
  EXPECT_TRUE(OutputOf(quantized, x).allclose(before));
  ExpectStandsAlone(quantized, x);

  Module evaluated = model;
  evaluated.eval();
  EXPECT_THAT(
      ObservedPaths(OrThrow(Prepare(evaluated, {{"", DefaultQConfig()}}))),
      ElementsAre("quant"));
}

TEST_P(ReferenceQatTest, LeakyReluGivesWhatItGaveInTraining) {
  const Module model = MakeModel(
      {{"quant", QuantStub()},
       {"act",
        Elementwise("activation.LeakyReLU", "torch.leaky_relu(x, 0.01)")},
       {"dequant", DeQuantStub()}},
      {"y = self.act.forward(self.quant.forward(x))",
       "return self.dequant.forward(y)"});
  Module prepared =
      OrThrow(PrepareQat(InTraining(model), {{"", DefaultQatQConfig()}}));
  const at::Tensor x = at::randn({1, 3, 2, 4});
  const at::Tensor before = OutputOf(prepared, x);
  EXPECT_TRUE(OutputOf(OrThrow(Convert(prepared)), x).allclose(before));
}

TEST_P(ReferenceQatTest, ReluIsNeitherObservedNorReplaced) {
  const Module prepared =
      OrThrow(PrepareQat(InTraining(MakeModel({{"relu", Relu()}},
                                              {"return self.relu.forward(x)"})),
                         {{"", DefaultQConfig()}}));
  EXPECT_THAT(ObservedPaths(prepared), IsEmpty());
  EXPECT_EQ(TypeAtPath(OrThrow(Convert(prepared)), "relu"),
            "torch.nn.modules.activation.ReLU");
}

NS_INSTANTIATE_ON_ENGINES(ReferenceQatTest);

TEST(ReferenceFusedQatTest, TheDefaultQConfigObservesAndRoundsInOne) {
  const Module model =
      MakeModule("Model",
                 "def forward(self, x: Tensor) -> Tensor:\n"
                 "    return self.relu.forward(self.linear.forward(x))\n",
                 {}, {{"linear", RandomLinear(2, 2)}, {"relu", Relu()}});
  for (const Backend backend : {Backend::kFbgemm, Backend::kQnnpack}) {
    Module prepared =
        OrThrow(PrepareQat(InTraining(Wrapped(model)),
                           {{"", OrThrow(GetDefaultQatQConfig(backend))}}));
    OutputOf(prepared, at::randn({2, 2}));
    EXPECT_THAT(ObservedPaths(prepared), ElementsAre("quant", "module.linear"));
    const Module linear = ChildAt(prepared, "module.linear");
    const auto input = ChildAt(prepared, "quant")
                           .attr(kObserverAttribute)
                           .toCustomClass<FakeQuantize>();
    const auto weight =
        linear.attr("weight_fake_quant").toCustomClass<FakeQuantize>();
    for (const auto& fake :
         {input, weight,
          linear.attr(kObserverAttribute).toCustomClass<FakeQuantize>()}) {
      EXPECT_TRUE(fake->is_fused());
    }
    const bool is_fbgemm = backend == Backend::kFbgemm;
    EXPECT_EQ(GridOf(input->observer()->config()).quant_min, 0);
    EXPECT_EQ(GridOf(input->observer()->config()).quant_max,
              is_fbgemm ? 127 : 255);
    EXPECT_EQ(weight->observer()->config().kind,
              is_fbgemm ? ObserverKind::kMovingAveragePerChannelMinMax
                        : ObserverKind::kMovingAverageMinMax);
  }
}

}  // namespace
}  // namespace ns
