// PyTorch's cases of static quantization after training, see tests/README.md.
#include <ATen/Functions.h>
#include <torch/csrc/jit/api/module.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/hierarchy/module_editor.h"
#include "ns/quantization/eager/fuse_modules.h"
#include "ns/quantization/eager/quantize.h"
#include "ns/quantization/eager/stubs.h"
#include "passes/quantization/qconfig/default_qconfigs.h"
#include "passes/runtime/observers/observer.h"
#include "tests/ns/quantization/eager/reference_models.h"
#include "tests/ns/quantization/eager/two_linears.h"
#include "tests/testing/engines.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::torch::jit::Module;

constexpr char kQuantize[] = "torch.ao.nn.quantized.modules.Quantize";
constexpr char kDeQuantize[] = "torch.ao.nn.quantized.modules.DeQuantize";
constexpr char kRelu[] = "torch.nn.modules.activation.ReLU";

class ReferencePtqTest : public EngineTest {
 protected:
  static QConfig EngineQConfig() {
    return GetDefaultQConfig(GetParam() == at::kONEDNN ? Backend::kOnednn
                                                       : Backend::kQnnpack);
  }

  // What Convert makes of what Prepare made and has seen `x`, after it was
  // compared with what Quantize makes in one call.
  static Module QuantizedBothWays(const Module& model, const QConfigSpec& spec,
                                  const at::Tensor& x) {
    Module prepared = OrThrow(Prepare(model, spec));
    NS_EXPECT_OK(DefaultEvalFn(prepared, {BatchOf(x)}));
    const Module quantized = OrThrow(Convert(prepared));
    ExpectStandsAlone(quantized, x);
    const at::Tensor output = OutputOf(quantized, x);
    ExpectNear(output, OutputOf(prepared, x));
    const Module at_once = OrThrow(Quantize(model, spec, [&](Module& to_run) {
      return DefaultEvalFn(to_run, {BatchOf(x)});
    }));
    EXPECT_TRUE(OutputOf(at_once, x).equal(output));
    return quantized;
  }

  static void ExpectWrappedLinear(const Module& model,
                                  const std::string& path) {
    EXPECT_EQ(TypeAtPath(model, absl::StrCat(path, ".quant")), kQuantize);
    EXPECT_EQ(TypeAtPath(model, absl::StrCat(path, ".module")),
              kQuantizedLinear);
    EXPECT_EQ(TypeAtPath(model, absl::StrCat(path, ".dequant")), kDeQuantize);
  }

  const at::Tensor x_ = at::randn({20, 5});
};

TEST_P(ReferencePtqTest, AWrappedLayerIsQuantized) {
  const Module model = MakeModel({{"fc1", Wrapped(RandomLinear(5, 5))}},
                                 {"return self.fc1.forward(x)"});
  const QConfigSpec spec = {{"", EngineQConfig()}};
  EXPECT_THAT(ObservedPaths(OrThrow(Prepare(model, spec))),
              ElementsAre("fc1.quant", "fc1.module"));
  const std::vector<std::string> names = StateNames(model);
  ExpectWrappedLinear(QuantizedBothWays(model, spec, x_), "fc1");
  EXPECT_EQ(StateNames(model), names);
  EXPECT_EQ(TypeAtPath(model, "fc1.module"), kFloatLinear);

  QuantizeModuleOptions inplace;
  inplace.convert.inplace = true;
  ExpectWrappedLinear(
      OrThrow(Quantize(
          model, spec,
          [&](Module& to_run) { return DefaultEvalFn(to_run, {BatchOf(x_)}); },
          inplace)),
      "fc1");
}

TEST_P(ReferencePtqTest, OnlyTheLayerWithAQConfigIsQuantized) {
  const Module model =
      TwoLayers(RandomLinear(5, 8), Wrapped(RandomLinear(8, 5)));
  const QConfigSpec spec = {{"fc2", EngineQConfig()}};
  EXPECT_THAT(ObservedPaths(OrThrow(Prepare(model, spec))),
              ElementsAre("fc2.quant", "fc2.module"));
  const Module quantized = QuantizedBothWays(model, spec, x_);
  EXPECT_EQ(TypeAtPath(quantized, "fc1"), kFloatLinear);
  ExpectWrappedLinear(quantized, "fc2");
}

TEST_P(ReferencePtqTest, LayersInsideOthersAreQuantizedByPath) {
  const Module model =
      Nested(TwoLayers(Wrapped(RandomLinear(5, 8)), RandomLinear(8, 5)),
             Wrapped(RandomLinear(5, 5)));
  const QConfigSpec spec = {{"fc3", DefaultQConfig()},
                            {"sub2.fc1", EngineQConfig()}};
  EXPECT_THAT(ObservedPaths(OrThrow(Prepare(model, spec))),
              ElementsAre("sub2.fc1.quant", "sub2.fc1.module", "fc3.quant",
                          "fc3.module"));
  const Module quantized = QuantizedBothWays(model, spec, x_);
  EXPECT_EQ(TypeAtPath(quantized, "sub1.fc"), kFloatLinear);
  EXPECT_EQ(TypeAtPath(quantized, "sub2.fc2"), kFloatLinear);
  ExpectWrappedLinear(quantized, "sub2.fc1");
  ExpectWrappedLinear(quantized, "fc3");
}

TEST_P(ReferencePtqTest, AWrapperMayHoldSeveralLayers) {
  const Module model =
      Nested(Wrapped(TwoLayers(RandomLinear(5, 8), RandomLinear(8, 5))),
             Wrapped(RandomLinear(5, 5)));
  const QConfigSpec spec = {{"fc3", DefaultQConfig()},
                            {"sub2", DefaultQConfig()}};
  EXPECT_THAT(ObservedPaths(OrThrow(Prepare(model, spec))),
              ElementsAre("sub2.quant", "sub2.module.fc1", "sub2.module.fc2",
                          "fc3.quant", "fc3.module"));
  const Module quantized = QuantizedBothWays(model, spec, x_);
  EXPECT_EQ(TypeAtPath(quantized, "sub1.fc"), kFloatLinear);
  EXPECT_EQ(TypeAtPath(quantized, "sub1.relu"), kRelu);
  EXPECT_EQ(TypeAtPath(quantized, "sub2.quant"), kQuantize);
  EXPECT_EQ(TypeAtPath(quantized, "sub2.module.fc1"), kQuantizedLinear);
  EXPECT_EQ(TypeAtPath(quantized, "sub2.module.fc2"), kQuantizedLinear);
  ExpectWrappedLinear(quantized, "fc3");
}

TEST_P(ReferencePtqTest, TheQConfigOfAPartGoesBeforeThatOfTheWhole) {
  const Module model = Nested(
      TwoLayers(Wrapped(RandomLinear(5, 8)), Wrapped(RandomLinear(8, 5))),
      Wrapped(RandomLinear(5, 5)));
  QConfig all_eight_bits = DefaultQConfig();
  all_eight_bits.activation.config.quant_min = 0;
  all_eight_bits.activation.config.quant_max = 255;
  const QConfigSpec spec = {{"fc3", DefaultQConfig()},
                            {"sub2", DefaultQConfig()},
                            {"sub2.fc1", all_eight_bits}};
  const Module prepared = OrThrow(Prepare(model, spec));
  EXPECT_EQ(OrThrow(QConfigOf(ChildAt(prepared, "sub2.fc1.module"))),
            OptionalQConfig(all_eight_bits));
  EXPECT_EQ(OrThrow(QConfigOf(ChildAt(prepared, "sub2.fc2.module"))),
            OptionalQConfig(DefaultQConfig()));
  const Module quantized = QuantizedBothWays(model, spec, x_);
  EXPECT_EQ(TypeAtPath(quantized, "sub1.fc"), kFloatLinear);
  for (const char* path : {"sub2.fc1", "sub2.fc2", "fc3"}) {
    ExpectWrappedLinear(quantized, path);
  }
}

TEST_P(ReferencePtqTest, WithoutAQConfigAPartStaysFloat) {
  const Module inner =
      MakeModule("Inner",
                 "def forward(self, x: Tensor) -> Tensor:\n"
                 "    y = self.relu1.forward(self.fc1.forward(x))\n"
                 "    return self.relu2.forward(self.fc2.forward(y))\n",
                 {},
                 {{"fc1", RandomLinear(5, 8)},
                  {"relu1", Relu()},
                  {"fc2", RandomLinear(8, 5)},
                  {"relu2", Relu()}});
  const Module model =
      MakeModel({{"sub", Wrapped(inner)}, {"fc", RandomLinear(5, 5)}},
                {"return self.fc.forward(self.sub.forward(x))"});
  const Module quantized = QuantizedBothWays(
      model, {{"", EngineQConfig()}, {"fc", std::nullopt}}, x_);
  EXPECT_EQ(TypeAtPath(quantized, "fc"), kFloatLinear);
  EXPECT_EQ(TypeAtPath(quantized, "sub.quant"), kQuantize);
  EXPECT_EQ(TypeAtPath(quantized, "sub.dequant"), kDeQuantize);
  EXPECT_EQ(TypeAtPath(quantized, "sub.module.fc1"), kQuantizedLinear);
  EXPECT_EQ(TypeAtPath(quantized, "sub.module.fc2"), kQuantizedLinear);
  EXPECT_EQ(TypeAtPath(quantized, "sub.module.relu1"), kRelu);
  EXPECT_EQ(TypeAtPath(quantized, "sub.module.relu2"), kRelu);
}

TEST_P(ReferencePtqTest, AStubWithoutAQConfigStaysAStub) {
  const Module model = TwoLinears();
  const Module all =
      QuantizedBothWays(model, {{"", DefaultQConfig()}}, at::randn({20, 3}));
  EXPECT_EQ(TypeAtPath(all, "quant"), kQuantize);
  EXPECT_EQ(TypeAtPath(all, "a"), kQuantizedLinear);
  EXPECT_EQ(TypeAtPath(all, "dequant"), kDeQuantize);
  const Module without = OrThrow(Convert(OrThrow(
      Prepare(model, {{"", DefaultQConfig()}, {"dequant", std::nullopt}}))));
  EXPECT_EQ(TypeAtPath(without, "quant"), kQuantize);
  EXPECT_EQ(TypeAtPath(without, "dequant"),
            "torch.ao.quantization.stubs.DeQuantStub");
}

TEST_P(ReferencePtqTest, TheBlockOfAResNetIsQuantized) {
  const Module block = MakeModel(
      {{"conv1", Conv2d(at::randn({3, 3, 1, 1}))},
       {"bn1", BatchNorm2d(3)},
       {"relu1", Relu()},
       {"relu2", Relu()},
       {"downsample", Identity()},
       {"myop", FloatFunctional()},
       {"avgpool", Elementwise("pooling.AdaptiveAvgPool2d",
                               "torch.adaptive_avg_pool2d(x, [1, 1])")},
       {"fc", RandomLinear(3, 1)}},
      {"y = self.relu1.forward(self.bn1.forward(self.conv1.forward(x)))",
       "y = self.myop.add(y, self.downsample.forward(x))",
       "y = self.avgpool.forward(self.relu2.forward(y))",
       "return self.fc.forward(torch.flatten(y, 1))"});
  const Module model =
      Wrapped(OrThrow(FuseModules(block, {{"conv1", "bn1", "relu1"}})));
  const Module quantized = QuantizedBothWays(model, {{"", EngineQConfig()}},
                                             at::randn({8, 3, 10, 10}));
  EXPECT_EQ(TypeAtPath(quantized, "module.conv1"),
            "torch.nn.intrinsic.quantized.modules.conv_relu.ConvReLU2d");
  EXPECT_EQ(TypeAtPath(quantized, "module.myop"),
            "torch.ao.nn.quantized.modules.functional_modules.QFunctional");
  EXPECT_EQ(TypeAtPath(quantized, "module.avgpool"),
            "torch.nn.modules.pooling.AdaptiveAvgPool2d");
  EXPECT_EQ(TypeAtPath(quantized, "module.fc"), kQuantizedLinear);
}

TEST_P(ReferencePtqTest, StateLoadsIntoAModelThatSawNothing) {
  const Module model =
      Wrapped(TwoLayers(RandomLinear(5, 8), RandomLinear(8, 5)));
  const QConfigSpec spec = {{"", EngineQConfig()}};
  const Module quantized = QuantizedBothWays(model, spec, x_);
  Module other = OrThrow(Convert(OrThrow(Prepare(
      Wrapped(TwoLayers(RandomLinear(5, 8), RandomLinear(8, 5))), spec))));
  EXPECT_FALSE(OutputOf(other, x_).equal(OutputOf(quantized, x_)));
  EXPECT_EQ(StateNames(other), StateNames(quantized));
  LoadState(quantized, other);
  EXPECT_TRUE(OutputOf(other, x_).equal(OutputOf(quantized, x_)));
}

TEST_P(ReferencePtqTest, TransposedConvolutionsGetOneScaleAndAWarning) {
  const Module model =
      MakeModel({{"quant", QuantStub()},
                 {"conv", LayerOf("conv.ConvTranspose2d", "conv_transpose2d",
                                  at::randn({2, 3, 1, 1}), at::randn({3}))},
                 {"dequant", DeQuantStub()}},
                {"y = self.conv.forward(self.quant.forward(x))",
                 "return self.dequant.forward(y)"});
  const at::Tensor x = at::randn({1, 2, 5, 5});
  Module prepared = OrThrow(Prepare(model, {{"", DefaultPerChannelQConfig()}}));
  const at::Tensor expected = OutputOf(prepared, x);
  std::vector<std::string> warnings;
  ConvertOptions options;
  options.warnings = &warnings;
  const Module quantized = OrThrow(Convert(prepared, options));
  ExpectNear(OutputOf(quantized, x), expected);
  EXPECT_THAT(warnings, Contains(HasSubstr("conv: ")));

  const Module without =
      OrThrow(Prepare(model, {{"", DefaultPerChannelQConfig()}, {"conv", {}}}));
  EXPECT_THAT(ObservedPaths(without), ElementsAre("quant"));
}

TEST_P(ReferencePtqTest, AWrapperTakesTheQConfigOfItsModule) {
  ModuleEditor editor =
      OrThrow(ModuleEditor::Copy(Conv2d(at::randn({1, 1, 1, 1}))));
  NS_ASSERT_OK(SetQConfig(editor, "", DefaultQConfig()));
  const Module model = MakeModel({{"0", Wrapped(editor.root())}},
                                 {"return getattr(self, \"0\").forward(x)"});
  const Module quantized = OrThrow(Convert(OrThrow(Prepare(model, {}))));
  EXPECT_EQ(TypeAtPath(quantized, "0.quant"), kQuantize);
  EXPECT_EQ(TypeAtPath(quantized, "0.module"),
            "torch.ao.nn.quantized.modules.conv.Conv2d");
  EXPECT_EQ(TypeAtPath(quantized, "0.dequant"), kDeQuantize);
}

TEST_P(ReferencePtqTest, ListedActivationsHaveTheObserverOfTheirQConfig) {
  const std::string folder = "activation.";
  Module model = MakeModel(
      {{"quant", QuantStub()},
       {"sigmoid", Elementwise(folder + "Sigmoid", "torch.sigmoid(x)")},
       {"hardsigmoid",
        Elementwise(folder + "Hardsigmoid", "torch.hardsigmoid(x)")},
       {"softmax", Elementwise(folder + "Softmax", "torch.softmax(x, 1)")},
       {"tanh", Elementwise(folder + "Tanh", "torch.tanh(x)")},
       {"dequant", DeQuantStub()}},
      {"y = self.hardsigmoid.forward(self.sigmoid.forward(x))",
       "return self.tanh.forward(self.softmax.forward(y))"});
  model.train();
  QConfig qconfig = DefaultQConfig();
  qconfig.activation = SpecOf(ObserverKind::kFixedQParams);
  qconfig.activation.config.scale = 123;
  PrepareOptions options;
  options.observers.non_leaf_types = {"Sigmoid", "Hardsigmoid", "Softmax",
                                      "Tanh"};
  const Module prepared = OrThrow(Prepare(model, {{"", qconfig}}, options));
  for (const char* name : {"sigmoid", "hardsigmoid", "softmax", "tanh"}) {
    const c10::IValue observer =
        ChildAt(prepared, name).attr(kObserverAttribute);
    ASSERT_EQ(observer.type(), c10::getTypePtr<ObserverPtr>()) << name;
    EXPECT_EQ(observer.toCustomClass<Observer>()->config().scale, 123);
  }
}

NS_INSTANTIATE_ON_ENGINES(ReferencePtqTest);

}  // namespace
}  // namespace ns
