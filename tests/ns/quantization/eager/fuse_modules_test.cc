#include "ns/quantization/eager/fuse_modules.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/api/module.h>

#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/graph/module_path.h"
#include "ns/quantization/eager/stubs.h"
#include "tests/testing/hooks.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::torch::jit::Module;

std::string TypeAt(const Module& model, const std::string& name) {
  return UnmangledTypeName(
      model.attr(name).toModule().type()->name()->qualifiedName());
}

// A convolution without bias, a norm and two calls of one ReLU.
Module Model() {
  return MakeModel(
      {{"conv", Conv2d(at::randn({3, 2, 2, 2}))},
       {"bn", BatchNorm2d(3)},
       {"relu", Relu()},
       {"last", Relu()}},
      {"y = self.relu.forward(x)", "y = self.bn.forward(self.conv.forward(y))",
       "return self.last.forward(self.relu.forward(y))"});
}

Module InTraining(Module model) {
  model.train();
  return model;
}

at::Tensor OutputOf(Module model, const at::Tensor& x) {
  return model.forward({x}).toTensor();
}

constexpr char kDouble[] =
    "def twice(self, input: Tuple[Tensor], output: Tensor) -> Tensor:\n"
    "  return output * 2\n";
constexpr char kAddOne[] =
    "def add_one(self, input: Tuple[Tensor]) -> Tuple[Tensor]:\n"
    "  return (input[0] + 1,)\n";

TEST(FuseModulesTest, HooksAroundAChainStay) {
  for (const bool qat : {false, true}) {
    Module model = Model();
    AddPreHook(kAddOne, "conv", model);
    AddHook(kDouble, "bn", model);
    model.train(qat);
    FuseModulesOptions options;
    options.qat = qat;
    EXPECT_THAT(OrThrow(FindFusableModules(model, qat)),
                ElementsAre(ElementsAre("conv", "bn")));
    Module fused = OrThrow(FuseModules(model, {{"conv", "bn"}}, options));
    model.eval();
    fused.eval();
    const at::Tensor x = at::randn({1, 2, 5, 5});
    EXPECT_TRUE(
        at::allclose(OutputOf(fused, x), OutputOf(model, x), 1e-5, 1e-5));
    EXPECT_FALSE(
        at::allclose(OutputOf(fused, x), OutputOf(Model(), x), 1e-5, 1e-5));
  }
}

TEST(FuseModulesTest, HooksInsideOfAChainAreRefused) {
  Module behind = Model();
  AddHook(kDouble, "conv", behind);
  EXPECT_THAT(MessageOf(FuseModules(behind, {{"conv", "bn"}})),
              HasSubstr("[conv, bn]: a hook of its "
                        "torch.nn.modules.conv.Conv2d runs between modules"));
  EXPECT_THAT(OrThrow(FindFusableModules(behind)), ::testing::IsEmpty());
  Module before = Model();
  AddPreHook(kAddOne, "bn", before);
  EXPECT_THAT(MessageOf(FuseModules(before, {{"conv", "bn"}})),
              HasSubstr("a hook of its torch.nn.modules.batchnorm."));
}

// It leaves nothing in the graph.
TEST(FuseModulesTest, ChainsWithHooksThatDoNothingAreNotFound) {
  Module model = Model();
  AddHook(
      "def keep(self, input: Tuple[Tensor], output: Tensor) -> Tensor:\n"
      "  return output\n",
      "conv", model);
  EXPECT_THAT(OrThrow(FindFusableModules(model)), ::testing::IsEmpty());
}

TEST(FuseModulesTest, ALayerWithoutBiasGetsThatOfTheNorm) {
  const Module model = Model();
  const Module fused = OrThrow(FuseModules(model, {{"conv", "bn"}}));
  const at::Tensor x = at::randn({1, 2, 5, 5});
  EXPECT_TRUE(at::allclose(OutputOf(fused, x), OutputOf(model, x), 1e-5, 1e-5));
  EXPECT_EQ(TypeAt(fused, "conv"), "torch.nn.modules.conv.Conv2d");
  EXPECT_EQ(TypeAt(fused, "bn"), "torch.nn.modules.linear.Identity");
  // The model is as it was.
  EXPECT_EQ(TypeAt(model, "bn"), "torch.nn.modules.batchnorm.BatchNorm2d");
  EXPECT_FALSE(model.attr("conv").toModule().hasattr("bias"));
}

TEST(FuseModulesTest, ForTrainingTheNormStays) {
  const Module model = InTraining(Model());
  FuseModulesOptions options;
  options.qat = true;
  const Module fused =
      OrThrow(FuseModules(model, {{"conv", "bn", "last"}}, options));
  EXPECT_EQ(TypeAt(fused, "conv"),
            "torch.ao.nn.intrinsic.modules.fused.ConvBnReLU2d");
  EXPECT_TRUE(fused.attr("conv").toModule().is_training());
  EXPECT_EQ(TypeAt(fused.attr("conv").toModule(), "1"),
            "torch.nn.modules.batchnorm.BatchNorm2d");
}

TEST(FuseModulesTest, FindsChainsOfModulesThatAreCalledOnce) {
  // The ReLU behind the norm is called in front of the convolution, too.
  EXPECT_THAT(OrThrow(FindFusableModules(Model())),
              ElementsAre(ElementsAre("conv", "bn")));
}

TEST(FuseModulesTest, UsersFuse) {
  FuseModulesOptions options;
  int calls = 0;
  options.fuser_func =
      [&](const ModuleChain& chain) -> absl::StatusOr<ModuleChain> {
    ++calls;
    return ModuleChain{chain[0], Identity()};
  };
  const Module fused = OrThrow(FuseModules(Model(), {{"relu", "bn"}}, options));
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(TypeAt(fused, "bn"), "torch.nn.modules.linear.Identity");
  EXPECT_EQ(TypeAt(fused, "relu"), "torch.nn.modules.activation.ReLU");

  FuseModulesOptions methods;
  methods.fuser_methods = {
      {{"ReLU", "BatchNorm2d"},
       [](const ModuleChain& chain) -> absl::StatusOr<Module> {
         return chain[1];
       }}};
  const Module swapped =
      OrThrow(FuseModules(Model(), {{"last", "bn"}}, methods));
  EXPECT_EQ(TypeAt(swapped, "last"), "torch.nn.modules.batchnorm.BatchNorm2d");
  options.fuser_func =
      [](const ModuleChain& chain) -> absl::StatusOr<ModuleChain> {
    return ModuleChain{chain[0]};
  };
  EXPECT_THAT(MessageOf(FuseModules(Model(), {{"conv", "bn"}}, options)),
              HasSubstr("[conv, bn]: the fuser function returned 1 modules"));
}

TEST(FuseModulesTest, SaysWhatCannotBeFused) {
  const auto message = [](const Module& model, std::vector<std::string> chain) {
    return MessageOf(FuseModules(model, {std::move(chain)}));
  };
  EXPECT_THAT(message(Model(), {"conv", "norm"}),
              HasSubstr("there is no module 'norm'"));
  EXPECT_THAT(message(Model(), {"bn", "conv"}),
              HasSubstr("[bn, conv]: modules of types "
                        "torch.nn.modules.batchnorm.BatchNorm2d, "
                        "torch.nn.modules.conv.Conv2d cannot be fused"));
  EXPECT_THAT(message(Model(), {"conv"}), HasSubstr("cannot be fused"));
  EXPECT_THAT(message(Model(), {"conv", "conv"}),
              HasSubstr("module 'conv' is to be fused twice"));
  EXPECT_THAT(message(InTraining(Model()), {"conv", "bn"}),
              HasSubstr("call eval() first"));
  FuseModulesOptions qat;
  qat.qat = true;
  EXPECT_THAT(MessageOf(FuseModules(Model(), {{"conv", "bn"}}, qat)),
              HasSubstr("call train() first"));
}

TEST(FuseModulesTest, NormsOfOtherWidthsAreRefused) {
  Module model = MakeModel(
      {{"conv", Conv2d(at::randn({3, 2, 2, 2}))}, {"bn", BatchNorm2d(4)}},
      {"return self.bn.forward(self.conv.forward(x))"});
  EXPECT_THAT(MessageOf(FuseModules(model, {{"conv", "bn"}})),
              HasSubstr("[conv, bn]: "));
  FuseModulesOptions qat;
  qat.qat = true;
  EXPECT_THAT(MessageOf(FuseModules(InTraining(model), {{"conv", "bn"}}, qat)),
              HasSubstr("the layer has 3 output channels, and the norm 4"));
}

// Such a norm cannot be a part of a module for training.
TEST(FuseModulesTest, FindsNoChainOfANormWithoutParametersForTraining) {
  const Module norm = MakeModule(
      "torch.nn.modules.batchnorm.BatchNorm2d",
      "def forward(self, x: Tensor) -> Tensor:\n"
      "  return torch.batch_norm(x, None, None, self.running_mean, "
      "self.running_var, False, 0.1, 1e-5, True)\n",
      {{"running_mean", at::zeros({4})}, {"running_var", at::ones({4})}});
  const Module model =
      MakeModel({{"conv", Conv2d(at::randn({4, 3, 3, 3}))}, {"bn", norm}},
                {"return self.bn.forward(self.conv.forward(x))"});
  EXPECT_EQ(OrThrow(FindFusableModules(model)).size(), 1);
  EXPECT_EQ(OrThrow(FindFusableModules(model, /*qat=*/true)).size(), 0);
}

}  // namespace
}  // namespace ns
