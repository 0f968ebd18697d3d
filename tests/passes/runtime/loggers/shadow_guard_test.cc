#include "passes/runtime/loggers/shadow_guard.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/csrc/jit/serialization/import.h>
#include <torch/script.h>

#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ns {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::torch::jit::Value;

// Its shadow takes what has four elements.
torch::jit::Module GuardedModule() {
  torch::jit::Module module("Guarded");
  module.register_attribute(
      "guard", c10::getCustomClassType<ShadowGuardPtr>(),
      c10::IValue(c10::make_intrusive<ShadowGuard>("fc")));
  module.define(
      "def shadow(self, x: Tensor, scale: float) -> List[Tensor]:\n"
      "    return [x.reshape([2, 2]) * scale, x.neg()]\n");
  auto graph = std::make_shared<torch::jit::Graph>();
  Value* self = graph->addInput("self")->setType(module.type());
  Value* x = graph->addInput("x");
  Value* scale = graph->addInput("scale")->setType(c10::FloatType::get());
  torch::jit::Node* run = graph->insertNode(graph->create(
      c10::Symbol::fromQualString("ns::run_shadow"),
      {graph->insertGetAttr(self, "guard"), self,
       graph->insertConstant("shadow"), graph->insertConstant(2), x, scale},
      /*num_outputs=*/2));
  run->output(0)->setType(c10::BoolType::get());
  run->output(1)->setType(c10::ListType::ofTensors());
  graph->registerOutput(
      graph->insertNode(graph->createTuple(run->outputs()))->output());
  module.type()->addMethod(
      module._ivalue()->compilation_unit()->create_function(
          c10::QualifiedName(*module.type()->name(), "forward"), graph));
  return module;
}

struct Made {
  bool made;
  std::vector<at::Tensor> tensors;
};

Made RunGuarded(torch::jit::Module& module, const at::Tensor& x) {
  const auto outputs = module.forward({x, 2.0}).toTuple();
  return {outputs->elements()[0].toBool(),
          outputs->elements()[1].toTensorVector()};
}

std::string ReasonOf(const torch::jit::Module& module) {
  return module.attr("guard").toCustomClass<ShadowGuard>()->reason();
}

TEST(ShadowGuardTest, GivesWhatTheShadowMakes) {
  torch::jit::Module module = GuardedModule();
  const at::Tensor x = at::arange(4, at::kFloat);
  const Made made = RunGuarded(module, x);
  EXPECT_TRUE(made.made);
  EXPECT_TRUE(made.tensors.at(0).equal(x.reshape({2, 2}) * 2));
  EXPECT_TRUE(made.tensors.at(1).equal(-x));
  EXPECT_EQ(ReasonOf(module), "");
}

TEST(ShadowGuardTest, AShadowThatFailedDoesNotRunAgain) {
  torch::jit::Module module = GuardedModule();
  Made made = RunGuarded(module, at::ones({5}));
  EXPECT_FALSE(made.made);
  EXPECT_EQ(made.tensors.size(), 2);
  EXPECT_THAT(ReasonOf(module),
              HasSubstr("fails on values of the quantized model: shape "
                        "'[2, 2]' is invalid for input of size 5"));
  EXPECT_THAT(ReasonOf(module), Not(HasSubstr("\n")));
  EXPECT_FALSE(RunGuarded(module, at::ones({4})).made);
  module.attr("guard").toCustomClass<ShadowGuard>()->Clear();
  EXPECT_TRUE(RunGuarded(module, at::ones({4})).made);
}

TEST(ShadowGuardTest, ModuleWithoutTheMethodFails) {
  torch::jit::Module module = GuardedModule();
  const auto guard = module.attr("guard").toCustomClass<ShadowGuard>();
  EXPECT_FALSE(guard->Run(module._ivalue(), "other", {}).has_value());
  EXPECT_THAT(guard->reason(), HasSubstr("no method 'other'"));
}

TEST(ShadowGuardTest, MayGuardSeveralMethods) {
  torch::jit::Module module("Two");
  module.define(
      "def one(self, x: Tensor) -> List[Tensor]:\n    return [x + 1]\n"
      "def two(self, x: Tensor) -> List[Tensor]:\n    return [x + 2]\n");
  ShadowGuard guard("fc");
  const at::Tensor x = at::zeros({1});
  for (const auto& [method, value] :
       {std::pair("one", 1.0), std::pair("two", 2.0), std::pair("one", 1.0)}) {
    const auto made = guard.Run(module._ivalue(), method, {x});
    ASSERT_TRUE(made.has_value()) << guard.reason();
    EXPECT_EQ(made->at(0).item<double>(), value);
  }
}

TEST(ShadowGuardTest, IsSavedWithItsLayerAndReason) {
  torch::jit::Module module = GuardedModule();
  for (const int64_t size : {4, 5}) {
    RunGuarded(module, at::ones({size}));
    std::stringstream file;
    module.save(file);
    torch::jit::Module loaded = torch::jit::load(file);
    EXPECT_EQ(loaded.attr("guard").toCustomClass<ShadowGuard>()->layer(), "fc");
    EXPECT_EQ(ReasonOf(loaded), ReasonOf(module));
    EXPECT_EQ(RunGuarded(loaded, at::ones({4})).made, size == 4);
  }
}

// Without the optimizer, as models are compared, the shadow's code runs itself.
TEST(ShadowGuardTest, GivesTheSameWithoutTheOptimizer) {
  const torch::jit::GraphOptimizerEnabledGuard as_it_stands(false);
  torch::jit::Module module = GuardedModule();
  for (int run = 0; run < 3; ++run) {
    const at::Tensor x = at::arange(4, at::kFloat) + run;
    const Made made = RunGuarded(module, x);
    EXPECT_TRUE(made.made);
    EXPECT_TRUE(made.tensors.at(0).equal(x.reshape({2, 2}) * 2));
    EXPECT_TRUE(made.tensors.at(1).equal(-x));
  }
  EXPECT_EQ(ReasonOf(module), "");
}

TEST(ShadowGuardTest, FailsAlikeWithoutTheOptimizer) {
  const std::vector<std::vector<c10::IValue>> wrong = {
      {at::arange(5, at::kFloat), 2.0},
      {at::arange(4, at::kFloat), "two"},
      {c10::IValue(), 2.0},
      {at::arange(4, at::kFloat)}};
  for (const std::vector<c10::IValue>& arguments : wrong) {
    const torch::jit::Module module = GuardedModule();
    const auto reason = [&](bool optimize) {
      const torch::jit::GraphOptimizerEnabledGuard guard(optimize);
      ShadowGuard shadow("fc");
      EXPECT_FALSE(shadow.Run(module._ivalue(), "shadow", arguments));
      return shadow.reason();
    };
    EXPECT_EQ(reason(false), reason(true));
    EXPECT_NE(reason(false), "");
  }
}

}  // namespace
}  // namespace ns
