#include "ns/quantization/eager/module_observers.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/ir.h>

#include <iterator>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/hierarchy/module_editor.h"
#include "ns/quantization/eager/prepare_and_convert.h"
#include "ns/quantization/eager/stubs.h"
#include "passes/quantization/qconfig/default_observers.h"
#include "passes/quantization/qconfig/default_qconfigs.h"
#include "tests/ns/quantization/eager/two_linears.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Key;
using ::testing::UnorderedElementsAre;
using ::torch::jit::Module;

TEST(ModuleObserversTest, OnlyAllowedTypesAreObserved) {
  PrepareOptions options;
  options.observers.observed_types = {"QuantStub"};
  EXPECT_THAT(GetObserverDict(OrThrow(
                  Prepare(TwoLinears(), {{"", DefaultQConfig()}}, options))),
              ElementsAre(Key("quant.activation_post_process")));
}

TEST(ModuleObserversTest, PathsComeInTheOrderOfModulesAfterAPrefix) {
  const Module model =
      MakeModel({{"z", Linear(at::eye(2))}, {"a", Linear(at::eye(2))}},
                {"return self.a.forward(self.z.forward(x))"});
  const Module prepared = OrThrow(Prepare(model, {{"", DefaultQConfig()}}));
  EXPECT_THAT(GetObserverDict(prepared, "net.body"),
              ElementsAre(Key("net.body.z.activation_post_process"),
                          Key("net.body.a.activation_post_process")));
  EXPECT_THAT(GetObserverDict(prepared.attr("a").toModule(), "a"),
              ElementsAre(Key("a.activation_post_process")));
}

TEST(ModuleObserversTest, NonLeafModulesAreObservedWhereListed) {
  const Module block = MakeModule("Block",
                                  "def forward(self, x: Tensor) -> Tensor:\n"
                                  "  return self.relu.forward(x)\n",
                                  {}, {{"relu", Relu()}});
  const Module model =
      MakeModel({{"block", block}}, {"return self.block.forward(x)"});
  PrepareOptions options;
  EXPECT_THAT(GetObserverDict(
                  OrThrow(Prepare(model, {{"", DefaultQConfig()}}, options))),
              IsEmpty());
  options.observers.non_leaf_types = {"Block"};
  EXPECT_THAT(GetObserverDict(
                  OrThrow(Prepare(model, {{"", DefaultQConfig()}}, options))),
              ElementsAre(Key("block.activation_post_process")));
}

TEST(ModuleObserversTest, FakeQuantizationsHoldTheirObserver) {
  const Module prepared =
      OrThrow(Prepare(TwoLinears(), {{"a", DefaultQatQConfig()}}));
  EXPECT_THAT(GetObserverDict(prepared),
              UnorderedElementsAre(
                  Key("a.activation_post_process"),
                  Key("a.activation_post_process.activation_post_process")));
}

// The observer of a dynamic op sees its input.
TEST(ModuleObserversTest, MemorylessObserversSeeTheInput) {
  const Module model = MakeModel({{"a", Linear(at::ones({1, 1}) * 100)}},
                                 {"return self.a.forward(x)"});
  Module prepared = OrThrow(Prepare(model, {{"", DefaultDynamicQatQConfig()}}));
  EXPECT_EQ(OutputOf(prepared, at::ones({1, 1})).item<float>(), 100);
  const auto& forward =
      *prepared.attr("a").toModule().get_method("forward").graph();
  EXPECT_EQ((*forward.nodes().begin())->kind(), c10::prim::GetAttr);
  const torch::jit::Node* call = *std::next(forward.nodes().begin());
  EXPECT_EQ(call->kind(), c10::prim::CallMethod);
  EXPECT_EQ(call->input(1), forward.inputs()[1]);
}

TEST(ModuleObserversTest, UsersBringTheirOwnObservedModules) {
  PrepareOptions options;
  options.observers.custom_modules["Linear"] =
      [](const Module&) -> absl::StatusOr<Module> { return Relu(); };
  const Module prepared =
      OrThrow(Prepare(TwoLinears(), {{"", DefaultQConfig()}}, options));
  EXPECT_EQ(TypeAt(prepared, "a"), "torch.nn.modules.activation.ReLU");
  EXPECT_THAT(GetObserverDict(prepared),
              UnorderedElementsAre(Key("a.activation_post_process"),
                                   Key("b.activation_post_process"),
                                   Key("quant.activation_post_process")));
}

// What is removed is what was added, and nothing of the user's that has its
// name.
TEST(ModuleObserversTest, RemovingThemLeavesTheModel) {
  Module own = MakeModule("Own",
                          "def forward(self, x: Tensor) -> Tensor:\n"
                          "  return x * self.activation_post_process\n",
                          {{"activation_post_process", 2.0}});
  const Module model =
      MakeModel({{"a", Linear(at::eye(2))}, {"own", own}},
                {"return self.own.forward(self.a.forward(x))"});
  ModuleEditor editor = OrThrow(
      ModuleEditor::Copy(OrThrow(Prepare(model, {{"", DefaultQConfig()}}))));
  EXPECT_THAT(GetObserverDict(editor.root()),
              ElementsAre(Key("a.activation_post_process")));
  NS_ASSERT_OK(RemoveObservers(editor));
  EXPECT_THAT(GetObserverDict(editor.root()), IsEmpty());
  EXPECT_TRUE(
      OutputOf(editor.root(), at::ones({1, 2})).equal(at::full({1, 2}, 2.0)));
}

TEST(ModuleObserversTest, AModuleIsAskedWhatItsObserverFound) {
  Module prepared =
      OrThrow(Prepare(TwoLinears(), {{"quant", DefaultQConfig()}}));
  const Module quant = prepared.attr("quant").toModule();
  EXPECT_FALSE(OrThrow(AskModule(quant)).has_seen);
  EXPECT_EQ(OrThrow(AskModule(quant)).value.qparams.scale, 1);
  prepared.forward({at::full({1, 3}, 12.7)});
  const ObservedOutput observed = OrThrow(AskModule(quant));
  EXPECT_TRUE(observed.has_seen);
  EXPECT_FLOAT_EQ(observed.value.qparams.scale, 0.1);
  EXPECT_THAT(MessageOf(AskModule(prepared.attr("a").toModule())),
              HasSubstr("it has no observer"));
}

TEST(ModuleObserversTest, FixedObserversNeedToSeeNothing) {
  QConfig qconfig = DefaultQConfig();
  qconfig.activation = DefaultFixedQParamsRange0To1Observer();
  const Module prepared = OrThrow(Prepare(TwoLinears(), {{"quant", qconfig}}));
  const ObservedOutput output =
      OrThrow(AskModule(prepared.attr("quant").toModule()));
  EXPECT_TRUE(output.has_seen);
  EXPECT_EQ(output.value.qparams.scale, 1.0 / 256);
}

TEST(ModuleObserversTest, ParametersOnTwoDevicesAreRefused) {
  Module model = TwoLinears();
  model.register_parameter("near", at::ones({1}), /*is_buffer=*/false);
  model.register_parameter("far", at::empty({1}, at::kMeta),
                           /*is_buffer=*/false);
  ModuleEditor editor = OrThrow(ModuleEditor::Copy(model));
  EXPECT_EQ(AddObservers(editor).message(),
            "the model has parameters on cpu and meta; move it to one device");
}

TEST(ModuleObserversTest, ATracedStubIsNamed) {
  const Module stub = MakeModule("torch.ao.quantization.stubs.QuantStub",
                                 "def forward(self, x: Tensor) -> None:\n"
                                 "  return None\n");
  const Module model =
      MakeModel({{"quant", stub}}, {"self.quant.forward(x)", "return x"});
  EXPECT_THAT(MessageOf(Prepare(model, {{"", DefaultQConfig()}})),
              HasSubstr("module 'quant' was traced"));
}

}  // namespace
}  // namespace ns
