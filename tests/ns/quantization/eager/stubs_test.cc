#include "ns/quantization/eager/stubs.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/api/module.h>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/hierarchy/module_editor.h"
#include "ns/eager/module_tree.h"
#include "ns/quantization/eager/module_qconfig.h"
#include "ns/quantization/eager/quantize.h"
#include "passes/quantization/qconfig/default_qconfigs.h"
#include "tests/testing/hooks.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::HasSubstr;
using ::torch::jit::Module;

TEST(StubsTest, WrapsAModule) {
  Module wrapper = OrThrow(QuantWrapper(Relu()));
  const at::Tensor x = at::randn({3});
  EXPECT_TRUE(wrapper.forward({x}).toTensor().equal(x.relu()));
  const Module pair =
      MakeModule("Pair",
                 "def forward(self, x: Tensor) -> Tuple[Tensor, Tensor]:\n"
                 "  return x, x\n");
  EXPECT_THAT(MessageOf(QuantWrapper(pair)),
              HasSubstr("the module must take and return one tensor"));
}

TEST(StubsTest, AWrapperIsInTrainingIfItsModuleIs) {
  Module relu = Relu();
  EXPECT_FALSE(OrThrow(QuantWrapper(relu)).is_training());
  relu.train();
  const Module wrapper = OrThrow(QuantWrapper(relu));
  EXPECT_TRUE(wrapper.is_training());
  EXPECT_TRUE(wrapper.attr("quant").toModule().is_training());
}

TEST(StubsTest, WrapsLeavesWithAQConfigWhichThenAreQuantized) {
  const Module model = MakeModel(
      {{"a", Linear(at::randn({4, 3}))}, {"b", Linear(at::randn({2, 4}))}},
      {"return self.b.forward(self.a.forward(x))"});
  ModuleEditor editor = OrThrow(ModuleEditor::Copy(model));
  NS_ASSERT_OK(PropagateQConfig(editor, {{"b", DefaultQConfig()}}));
  NS_ASSERT_OK(AddQuantDequant(editor));
  EXPECT_FALSE(editor.root().attr("a").toModule().hasattr("module"));
  const at::Tensor x = at::randn({5, 3});
  Module quantized = OrThrow(Quantize(editor.root(), {}, [&](Module& prepared) {
    return DefaultEvalFn(prepared, {{{x}, {}}});
  }));
  const at::Tensor expected = Module(model).forward({x}).toTensor();
  const at::Tensor error = quantized.forward({x}).toTensor() - expected;
  EXPECT_LT(error.norm().item<float>(), 0.05 * expected.norm().item<float>());
  EXPECT_EQ(editor.Paths().size(), 6);
  EXPECT_TRUE(quantized.attr("b").toModule().attr("module").toModule().hasattr(
      "_packed_params"));
}

TEST(StubsTest, ModulesWithHooksAreNotWrapped) {
  Module model = MakeModel({{"relu", Relu()}}, {"return self.relu.forward(x)"});
  AddHook(
      "def twice(self, input: Tuple[Tensor], output: Tensor) -> Tensor:\n"
      "  return output * 2\n",
      "relu", model);
  EXPECT_THAT(MessageOf(QuantWrapper(model.attr("relu").toModule())),
              ::testing::HasSubstr("the module has forward hooks"));
}

TEST(StubsTest, ALeafIsReturnedInAWrapper) {
  ModuleEditor editor = OrThrow(ModuleEditor::Copy(Linear(at::eye(2))));
  NS_ASSERT_OK(PropagateQConfig(editor, {{"", DefaultQConfig()}}));
  const Module wrapper = OrThrow(AddQuantDequant(editor.root()));
  EXPECT_EQ(TypeNameOf(wrapper), "torch.ao.quantization.stubs.QuantWrapper");
  EXPECT_EQ(TypeNameOf(wrapper.attr("module").toModule()),
            "torch.nn.modules.linear.Linear");
  // Without a qconfig, it stays what it is.
  EXPECT_EQ(TypeNameOf(OrThrow(AddQuantDequant(Relu()))),
            "torch.nn.modules.activation.ReLU");
}

TEST(StubsTest, ALeafIsNotWrappedInPlace) {
  ModuleEditor editor = OrThrow(ModuleEditor::Copy(Relu()));
  NS_ASSERT_OK(PropagateQConfig(editor, {{"", DefaultQConfig()}}));
  EXPECT_THAT(std::string(AddQuantDequant(editor).message()),
              HasSubstr("use QuantWrapper instead"));
}

}  // namespace
}  // namespace ns
