#include "ns/quantization/eager/qat_module.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/optim/sgd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/files/module_file.h"
#include "ir/hierarchy/make_module.h"
#include "ns/eager/module_tree.h"
#include "ns/quantization/eager/fuse_modules.h"
#include "ns/quantization/eager/prepare_and_convert.h"
#include "ns/quantization/eager/qat_switches.h"
#include "ns/quantization/eager/quantize.h"
#include "ns/quantization/eager/stubs.h"
#include "passes/quantization/layers/constant_weights.h"
#include "passes/quantization/qconfig/default_qconfigs.h"
#include "tests/ns/quantization/eager/two_linears.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"
#include "tests/testing/temporary_file.h"

namespace ns {
namespace {

using ::testing::HasSubstr;
using ::torch::jit::Module;

constexpr char kLinear[] = "torch.ao.nn.qat.modules.linear.Linear";
constexpr char kConvBnReLU[] =
    "torch.nn.intrinsic.qat.modules.conv_fused.ConvBnReLU2d";

QConfig Training() { return OrThrow(GetDefaultQatQConfig(Backend::kFbgemm)); }

// A convolution, a batch norm and a ReLU between stubs, in training.
Module ConvNet() {
  Module model = MakeModel({{"quant", QuantStub()},
                            {"conv", Conv2d(at::randn({4, 3, 3, 3}))},
                            {"bn", BatchNorm2d(4)},
                            {"relu", Relu()},
                            {"dequant", DeQuantStub()}},
                           {"y = self.conv.forward(self.quant.forward(x))",
                            "y = self.relu.forward(self.bn.forward(y))",
                            "return self.dequant.forward(y)"});
  model.train();
  return model;
}

// `ConvNet`, fused and prepared.
Module PreparedNet(const QConfig& qconfig = Training()) {
  FuseModulesOptions fuse;
  fuse.qat = true;
  return OrThrow(PrepareQat(
      OrThrow(FuseModules(ConvNet(), {{"conv", "bn", "relu"}}, fuse)),
      {{"", qconfig}}));
}

std::vector<at::Tensor> Parameters(const Module& model) {
  std::vector<at::Tensor> parameters;
  for (const at::Tensor& parameter : model.parameters()) {
    parameters.push_back(parameter);
  }
  return parameters;
}

void Train(Module& model, int steps, double rate = 0.05) {
  for (const at::Tensor& parameter : model.parameters()) {
    at::Tensor(parameter).set_requires_grad(true);
  }
  torch::optim::SGD optimizer(Parameters(model), rate);
  for (int i = 0; i < steps; ++i) {
    optimizer.zero_grad();
    OutputOf(model, at::randn({4, 3, 8, 8})).square().mean().backward();
    optimizer.step();
  }
}

TEST(QatModuleTest, ComputesWithTheQuantizedWeight) {
  Module linear = Linear(at::randn({4, 3}));
  linear.train();
  Module trained = OrThrow(MakeQatModule(linear, kLinear, DefaultQatQConfig()));
  EXPECT_EQ(TypeNameOf(trained), kLinear);
  EXPECT_TRUE(trained.is_training());
  const at::Tensor weight = linear.attr("weight").toTensor();
  EXPECT_EQ(trained.attr("weight").toTensor().data_ptr(), weight.data_ptr());
  const at::Tensor x = at::randn({5, 3});
  const at::Tensor quantized =
      OrThrow(QuantizedBySpec(weight, DefaultQatQConfig().weight));
  EXPECT_TRUE(
      OutputOf(trained, x).allclose(at::linear(x, quantized.dequantize())));
}

TEST(QatModuleTest, ConvertingGivesWhatTheTrainedModelComputes) {
  at::manual_seed(1);
  Module model = PreparedNet();
  Train(model, 6);
  model.eval();
  DisableObserver(model);
  const Module quantized = OrThrow(Convert(model));
  const at::Tensor x = at::randn({4, 3, 8, 8});
  const at::Tensor expected = OutputOf(model, x);
  const at::Tensor difference = (OutputOf(quantized, x) - expected).abs();
  // Sums in another order may fall on the other side of a tie.
  EXPECT_LE(difference.gt(1e-5).sum().item<int64_t>(), expected.numel() / 100);
  EXPECT_GT(expected.abs().max().item<float>(), 0.1);
}

TEST(QatModuleTest, ModelsGoOnTrainingAfterLoading) {
  at::manual_seed(2);
  Module model = PreparedNet();
  Train(model, 3);
  const std::string path = TemporaryPath("trained.pt");
  model.save(path);
  Module loaded = OrThrow(LoadModule(path));
  at::manual_seed(3);
  Train(model, 3);
  at::manual_seed(3);
  Train(loaded, 3);
  const at::Tensor x = at::randn({4, 3, 8, 8});
  EXPECT_TRUE(OutputOf(loaded, x).equal(OutputOf(model, x)));
}

TEST(QatModuleTest, PreparingLeavesTheModelAlone) {
  Module model = ConvNet();
  const at::Tensor weight =
      model.attr("conv").toModule().attr("weight").toTensor().clone();
  FuseModulesOptions fuse;
  fuse.qat = true;
  Module prepared = OrThrow(
      PrepareQat(OrThrow(FuseModules(model, {{"conv", "bn", "relu"}}, fuse)),
                 {{"", Training()}}));
  Train(prepared, 2);
  EXPECT_TRUE(
      model.attr("conv").toModule().attr("weight").toTensor().equal(weight));
  EXPECT_FALSE(
      prepared.attr("conv").toModule().attr("weight").toTensor().equal(weight));
}

TEST(QatModuleTest, QuantizesInOneCall) {
  Module model = ConvNet();
  model.eval();
  FuseModulesOptions fuse;
  fuse.qat = true;
  model.train();
  const Module quantized = OrThrow(
      QuantizeQat(OrThrow(FuseModules(model, {{"conv", "bn", "relu"}}, fuse)),
                  {{"", Training()}}, [](Module& prepared) {
                    EXPECT_EQ(TypeAt(prepared, "conv"), kConvBnReLU);
                    Train(prepared, 1);
                    return absl::OkStatus();
                  }));
  EXPECT_EQ(TypeAt(quantized, "conv"),
            "torch.nn.intrinsic.quantized.modules.conv_relu.ConvReLU2d");
  EXPECT_FALSE(quantized.is_training());
}

// PyTorch divides by 0 there.
TEST(QatModuleTest, AChannelThatTheNormMultipliesByZeroIsItsShift) {
  Module model = ConvNet();
  const Module norm = model.attr("bn").toModule();
  norm.attr("weight").toTensor()[1] = 0;
  const float shift = norm.attr("bias").toTensor()[1].item<float>();
  FuseModulesOptions fuse;
  fuse.qat = true;
  Module prepared = OrThrow(
      PrepareQat(OrThrow(FuseModules(model, {{"conv", "bn", "relu"}}, fuse)),
                 {{"", Training()}}));
  DisableFakeQuant(prepared);
  const at::Tensor y = OutputOf(prepared, at::randn({4, 3, 8, 8}));
  EXPECT_TRUE(y.isfinite().all().item<bool>());
  EXPECT_FLOAT_EQ(y.select(1, 1).amax().item<float>(), std::max(shift, 0.0F));
}

TEST(QatModuleTest, RefusesWhatCannotBeTrained) {
  Module linear = Linear(at::randn({4, 3}));
  EXPECT_THAT(
      MessageOf(MakeQatModule(linear, "my.Linear", DefaultQatQConfig())),
      HasSubstr("no module of type 'my.Linear' can be trained; map to a type "
                "of GetDefaultQatModuleMappings"));
  EXPECT_THAT(
      MessageOf(MakeQatModule(linear, kConvBnReLU, DefaultQatQConfig())),
      HasSubstr("it has no part '0'; fuse modules for training (qat) first"));
  EXPECT_THAT(MessageOf(MakeQatModule(Relu(), kLinear, DefaultQatQConfig())),
              HasSubstr("it has no parameter 'weight'"));
  EXPECT_THAT(MessageOf(PrepareQat(TwoLinears(), {{"", Training()}})),
              HasSubstr("the model is in evaluation; call train()"));
}

TEST(QatModuleTest, NamesTheLayerThatCannotBeTrained) {
  PrepareQatOptions options;
  options.mapping = {{"Linear", kConvBnReLU}};
  Module model = TwoLinears();
  model.train();
  EXPECT_THAT(MessageOf(PrepareQat(model, {{"", Training()}}, options)),
              HasSubstr("module 'a' cannot be quantized: it has no part '0'"));
}

}  // namespace
}  // namespace ns
