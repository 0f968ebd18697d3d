// PyTorch's cases of fusing modules, see tests/README.md.
#include <ATen/ATen.h>
#include <torch/csrc/jit/api/module.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/quantization/eager/fuse_modules.h"
#include "ns/quantization/eager/quantize.h"
#include "ns/quantization/eager/stubs.h"
#include "passes/quantization/qconfig/default_qconfigs.h"
#include "tests/ns/quantization/eager/reference_models.h"
#include "tests/ns/quantization/eager/two_linears.h"
#include "tests/testing/engines.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using ::torch::jit::Module;

using Chains = std::vector<std::vector<std::string>>;
// From paths to types.
using Types = std::vector<std::pair<std::string, std::string>>;

constexpr char kIdentity[] = "torch.nn.modules.linear.Identity";
constexpr char kConv2d[] = "torch.nn.modules.conv.Conv2d";
constexpr char kRelu[] = "torch.nn.modules.activation.ReLU";
constexpr char kFused[] = "torch.ao.nn.intrinsic.modules.fused.";
constexpr char kQat[] = "torch.nn.intrinsic.qat.modules.";
constexpr char kQuantizedConv2d[] = "torch.ao.nn.quantized.modules.conv.Conv2d";
constexpr char kQuantizedFused[] = "torch.nn.intrinsic.quantized.modules.";

void ExpectTypes(const Module& model, const Types& types) {
  for (const auto& [path, type] : types) {
    EXPECT_EQ(TypeAtPath(model, path), type) << path;
  }
}

Module InTraining(Module model, bool is_training = true) {
  model.train(is_training);
  return model;
}

Module FusedForTraining(const Module& model, const Chains& chains) {
  FuseModulesOptions options;
  options.qat = true;
  return OrThrow(FuseModules(model, chains, options));
}

// A convolution with random parameters, those of `op`.
Module Convolution(const std::string& type, const std::string& op,
                   const std::vector<int64_t>& weight) {
  return LayerOf(type, op, at::randn(weight), at::randn({weight[0]}));
}

// A convolution `conv` and `other`, a norm or a ReLU.
Module Pair(const std::string& name, const Module& other) {
  return MakeModule("Pair",
                    absl::StrCat("def forward(self, x: Tensor) -> Tensor:\n",
                                 "    return self.", name,
                                 ".forward(self.conv.forward(x))\n"),
                    {},
                    {{"conv", Conv2d(at::randn({2, 2, 1, 1}))}, {name, other}});
}

// Convolutions with norms and ReLUs in one, two and three dimensions; the last
// parts, `sub2` and `fc`, are behind `dequant`.
Module ModelForFusion() {
  return MakeModel(
      {{"quant", QuantStub()},
       {"conv3", Convolution("conv.Conv1d", "conv1d", {3, 3, 2})},
       {"bn3", BatchNorm("1d", 3)},
       {"relu4", Relu()},
       {"conv1", Convolution("conv.Conv2d", "conv2d", {2, 3, 1, 1})},
       {"bn1", BatchNorm("2d", 2)},
       {"relu1", Relu()},
       {"sub1", Pair("bn", BatchNorm("2d", 2))},
       {"dequant", DeQuantStub()},
       {"sub2", Pair("relu", Relu())},
       {"fc", RandomLinear(36, 10)},
       {"conv2", Convolution("conv.Conv3d", "conv3d", {2, 3, 1, 1, 1})},
       {"relu2", Relu()},
       {"bn2", BatchNorm("3d", 2)},
       {"relu3", Relu()}},
      {"x = self.conv3.forward(self.quant.forward(x))",
       "x = self.relu4.forward(self.bn3.forward(x)).unsqueeze(2)",
       "y = x.unsqueeze(2)",
       "x = self.relu1.forward(self.bn1.forward(self.conv1.forward(x)))",
       "x = self.dequant.forward(self.sub1.forward(x))",
       "x = self.fc.forward(self.sub2.forward(x).reshape([-1, 36]))",
       "y = self.relu2.forward(self.conv2.forward(y))",
       "y = self.relu3.forward(self.bn2.forward(y))",
       "y = self.dequant.forward(y).reshape(-1)",
       "return torch.cat([x.reshape(-1), y])"});
}

QConfigSpec AllButTheLastParts(const QConfig& qconfig) {
  return {{"", qconfig}, {"sub2", std::nullopt}, {"fc", std::nullopt}};
}

class ReferenceFuseTest : public EngineTest {
 protected:
  ReferenceFuseTest() { at::manual_seed(1); }

  Backend EngineBackend() const {
    return GetParam() == at::kONEDNN ? Backend::kOnednn : Backend::kQnnpack;
  }
};

TEST_P(ReferenceFuseTest, ForTrainingStepByStep) {
  Module model = InTraining(ModelForFusion());
  model = FusedForTraining(model, {{"conv1", "bn1", "relu1"}});
  model = FusedForTraining(model, {{"sub1.conv", "sub1.bn"}});
  const Types unfused = {{"bn1", kIdentity},     {"relu1", kIdentity},
                         {"sub1.bn", kIdentity}, {"sub2.conv", kConv2d},
                         {"sub2.relu", kRelu},   {"fc", kFloatLinear}};
  ExpectTypes(model, unfused);
  ExpectTypes(model, {{"conv1", absl::StrCat(kFused, "ConvBnReLU2d")},
                      {"sub1.conv", absl::StrCat(kFused, "ConvBn2d")}});

  Module prepared =
      OrThrow(PrepareQat(model, AllButTheLastParts(DefaultQatQConfig())));
  ExpectTypes(prepared, unfused);
  ExpectTypes(prepared,
              {{"conv1", absl::StrCat(kQat, "conv_fused.ConvBnReLU2d")},
               {"sub1.conv", absl::StrCat(kQat, "conv_fused.ConvBn2d")}});
  const at::Tensor x = at::randn({2, 3, 19});
  OutputOf(prepared, x);
  const Module quantized = OrThrow(Convert(prepared));
  ExpectTypes(quantized, unfused);
  ExpectTypes(quantized,
              {{"conv1", absl::StrCat(kQuantizedFused, "conv_relu.ConvReLU2d")},
               {"sub1.conv", kQuantizedConv2d}});
  // There is no quantized norm of one dimension: `bn3` was not fused.
  EXPECT_THAT([&] { OutputOf(quantized, x); },
              ThrowsMessage<std::exception>(HasSubstr("'QuantizedCPU'")));
}

TEST_P(ReferenceFuseTest, ForEvaluationInAllDimensions) {
  const Module model = ModelForFusion();
  const Chains chains = {{"conv3", "bn3", "relu4"},
                         {"conv1", "bn1", "relu1"},
                         {"conv2", "relu2"},
                         {"bn2", "relu3"},
                         {"sub1.conv", "sub1.bn"}};
  const Module fused = OrThrow(FuseModules(model, chains));
  const Types unfused = {{"bn1", kIdentity},     {"relu1", kIdentity},
                         {"relu2", kIdentity},   {"relu3", kIdentity},
                         {"bn3", kIdentity},     {"relu4", kIdentity},
                         {"sub1.bn", kIdentity}, {"sub2.conv", kConv2d},
                         {"sub2.relu", kRelu},   {"fc", kFloatLinear}};
  ExpectTypes(fused, unfused);
  ExpectTypes(fused, {{"conv1", absl::StrCat(kFused, "ConvReLU2d")},
                      {"conv1.0", kConv2d},
                      {"conv1.1", kRelu},
                      {"conv2", absl::StrCat(kFused, "ConvReLU3d")},
                      {"conv2.0", "torch.nn.modules.conv.Conv3d"},
                      {"conv2.1", kRelu},
                      {"conv3", absl::StrCat(kFused, "ConvReLU1d")},
                      {"conv3.0", "torch.nn.modules.conv.Conv1d"},
                      {"conv3.1", kRelu},
                      {"bn2", absl::StrCat(kFused, "BNReLU3d")},
                      {"sub1.conv", kConv2d}});
  const at::Tensor x = at::randn({2, 3, 19});
  EXPECT_TRUE(OutputOf(fused, x).allclose(OutputOf(model, x), 1e-4, 1e-5));

  const QConfigSpec spec = AllButTheLastParts(DefaultQConfig());
  Module prepared = OrThrow(Prepare(fused, spec));
  OutputOf(prepared, x);
  const Module quantized = OrThrow(Convert(prepared));
  ExpectTypes(quantized, unfused);
  const std::string conv_relu = absl::StrCat(kQuantizedFused, "conv_relu.");
  ExpectTypes(quantized,
              {{"conv1", absl::StrCat(conv_relu, "ConvReLU2d")},
               {"conv2", absl::StrCat(conv_relu, "ConvReLU3d")},
               {"conv3", absl::StrCat(conv_relu, "ConvReLU1d")},
               {"bn2", absl::StrCat(kQuantizedFused, "bn_relu.BNReLU3d")},
               {"sub1.conv", kQuantizedConv2d}});
  ExpectNear(OutputOf(quantized, x), OutputOf(model, x));
  const Module at_once = OrThrow(Quantize(fused, spec, [&](Module& to_run) {
    return DefaultEvalFn(to_run, {BatchOf(x)});
  }));
  EXPECT_TRUE(OutputOf(at_once, x).equal(OutputOf(quantized, x)));
}

// A convolution, a norm and a ReLU in a Sequential.
Module ConvNormRelu() {
  return MakeModule("torch.nn.modules.container.Sequential",
                    "def forward(self, x: Tensor) -> Tensor:\n"
                    "    y = getattr(self, \"0\").forward(x)\n"
                    "    y = getattr(self, \"1\").forward(y)\n"
                    "    return getattr(self, \"2\").forward(y)\n",
                    {},
                    {{"0", Convolution("conv.Conv2d", "conv2d", {3, 3, 1, 1})},
                     {"1", BatchNorm("2d", 3)},
                     {"2", Relu()}});
}

class ReferenceFuseSequentialTest : public ReferenceFuseTest {
 protected:
  static Module Model() {
    const Module features = MakeModule(
        "torch.nn.modules.container.Sequential",
        "def forward(self, x: Tensor) -> Tensor:\n"
        "    y = getattr(self, \"0\").forward(x)\n"
        "    y = getattr(self, \"1\").forward(y)\n"
        "    return getattr(self, \"2\").forward(y)\n",
        {},
        {{"0", ConvNormRelu()}, {"1", ConvNormRelu()}, {"2", ConvNormRelu()}});
    const Module classifier =
        MakeModule("torch.nn.modules.container.Sequential",
                   "def forward(self, x: Tensor) -> Tensor:\n"
                   "    y = getattr(self, \"0\").forward(x)\n"
                   "    return getattr(self, \"1\").forward(y)\n",
                   {}, {{"0", RandomLinear(300, 10)}, {"1", Relu()}});
    return MakeModel(
        {{"quant", QuantStub()},
         {"conv1", Convolution("conv.Conv2d", "conv2d", {3, 3, 1, 1})},
         {"relu1", Relu()},
         {"features", features},
         {"classifier", classifier},
         {"dequant", DeQuantStub()}},
        {"y = self.relu1.forward(self.conv1.forward(self.quant.forward(x)))",
         "y = self.features.forward(y).reshape([-1, 300])",
         "return self.dequant.forward(self.classifier.forward(y))"});
  }

  static Chains AllChains() {
    return {{"conv1", "relu1"},
            {"features.0.0", "features.0.1", "features.0.2"},
            {"features.1.0", "features.1.1", "features.1.2"},
            {"features.2.0", "features.2.1", "features.2.2"},
            {"classifier.0", "classifier.1"}};
  }

  static void ExpectFused(const Module& model, const std::string& conv_relu,
                          const std::string& feature,
                          const std::string& linear_relu) {
    ExpectTypes(model, {{"conv1", conv_relu},
                        {"relu1", kIdentity},
                        {"classifier.0", linear_relu},
                        {"classifier.1", kIdentity}});
    for (const std::string path : {"features.0", "features.1", "features.2"}) {
      ExpectTypes(model, {{path + ".0", feature},
                          {path + ".1", kIdentity},
                          {path + ".2", kIdentity}});
    }
  }

  static void ExpectQuantized(const Module& model) {
    const std::string conv_relu =
        absl::StrCat(kQuantizedFused, "conv_relu.ConvReLU2d");
    ExpectFused(model, conv_relu, conv_relu,
                absl::StrCat(kQuantizedFused, "linear_relu.LinearReLU"));
    ExpectStandsAlone(model, at::randn({2, 3, 10, 10}));
  }
};

TEST_P(ReferenceFuseSequentialTest, ForTraining) {
  const Module fused = FusedForTraining(InTraining(Model()), AllChains());
  ExpectFused(fused, absl::StrCat(kFused, "ConvReLU2d"),
              absl::StrCat(kFused, "ConvBnReLU2d"),
              absl::StrCat(kFused, "LinearReLU"));
  ExpectTypes(fused, {{"conv1.0", kConv2d}, {"conv1.1", kRelu}});
  Module prepared = OrThrow(PrepareQat(
      fused, {{"", OrThrow(GetDefaultQatQConfig(EngineBackend()))}}));
  ExpectFused(prepared, absl::StrCat(kQat, "conv_fused.ConvReLU2d"),
              absl::StrCat(kQat, "conv_fused.ConvBnReLU2d"),
              absl::StrCat(kQat, "linear_relu.LinearReLU"));
  OutputOf(prepared, at::randn({2, 3, 10, 10}));
  ExpectQuantized(OrThrow(Convert(prepared)));
}

TEST_P(ReferenceFuseSequentialTest, ForEvaluation) {
  const Module fused = OrThrow(FuseModules(Model(), AllChains()));
  ExpectFused(fused, absl::StrCat(kFused, "ConvReLU2d"),
              absl::StrCat(kFused, "ConvReLU2d"),
              absl::StrCat(kFused, "LinearReLU"));
  ExpectTypes(fused, {{"conv1.0", kConv2d}, {"conv1.1", kRelu}});
  Module prepared =
      OrThrow(Prepare(fused, {{"", GetDefaultQConfig(EngineBackend())}}));
  OutputOf(prepared, at::randn({2, 3, 10, 10}));
  ExpectQuantized(OrThrow(Convert(prepared)));
}

NS_INSTANTIATE_ON_ENGINES(ReferenceFuseTest);
NS_INSTANTIATE_ON_ENGINES(ReferenceFuseSequentialTest);

}  // namespace
}  // namespace ns
