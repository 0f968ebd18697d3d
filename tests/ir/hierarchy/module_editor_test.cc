#include "ir/hierarchy/module_editor.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/api/compilation_unit.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/frontend/resolver.h>
#include <torch/csrc/jit/ir/ir.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/files/module_file.h"
#include "tests/testing/hooks.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"
#include "tests/testing/temporary_file.h"

namespace ns {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::torch::jit::Module;

// Multiplies by its buffer.
Module Scale(float factor) {
  return MakeModule("Scale",
                    "def forward(self, x: Tensor) -> Tensor:\n"
                    "  return x * self.factor\n",
                    {{"factor", at::full({1}, factor)}});
}

// Two objects of one type, one of which is called inside of control flow.
Module Pair() {
  const Module scale = Scale(2);
  Module second(scale._ivalue()->compilation_unit(), scale.type());
  second.setattr("factor", at::full({1}, 10));
  second.setattr("training", false);
  return MakeModule("Pair",
                    "def forward(self, x: Tensor, twice: bool) -> Tensor:\n"
                    "  y = self.a.forward(x)\n"
                    "  if twice:\n"
                    "    y = self.b.forward(y)\n"
                    "  return y\n",
                    {}, {{"a", scale}, {"b", second}});
}

float ResultOf(Module& module, float x, bool twice = true) {
  return module.forward({at::full({1}, x), twice}).toTensor().item<float>();
}

std::string MessageOfStatus(const absl::Status& status) {
  return std::string(status.message());
}

TEST(ModuleEditorTest, EachObjectGetsATypeOfItsOwn) {
  Module pair = Pair();
  ASSERT_EQ(pair.attr("a").toModule().type(), pair.attr("b").toModule().type());
  ModuleEditor editor = OrThrow(ModuleEditor::Copy(pair));
  EXPECT_NE(OrThrow(editor.At("a")).type(), OrThrow(editor.At("b")).type());
  EXPECT_THAT(editor.Paths(), ElementsAre("", "a", "b"));
  EXPECT_EQ(ResultOf(editor.root(), 3), 60);
  EXPECT_EQ(ResultOf(pair, 3), 60);
}

TEST(ModuleEditorTest, AnObjectAtTwoPathsStaysOne) {
  const Module shared = Scale(3);
  const Module model =
      MakeModule("Twice",
                 "def forward(self, x: Tensor, twice: bool) -> Tensor:\n"
                 "  return self.b.forward(self.a.forward(x))\n",
                 {}, {{"a", shared}, {"b", shared}});
  ModuleEditor editor = OrThrow(ModuleEditor::Copy(model));
  EXPECT_EQ(OrThrow(editor.At("a"))._ivalue(),
            OrThrow(editor.At("b"))._ivalue());
  EXPECT_THAT(editor.Paths(), ElementsAre("", "a"));
  NS_ASSERT_OK(editor.Swap({{"b", Scale(5)._ivalue()}}));
  EXPECT_EQ(ResultOf(editor.root(), 1), 25);
}

// LibTorch's alias analysis takes memory without end otherwise.
TEST(ModuleEditorTest, AllClassesHaveNamesOfTheirOwn) {
  Submodules children;
  std::vector<std::string> body;
  std::map<std::string, c10::IValue> replacements;
  for (int i = 0; i < 40; ++i) {
    const std::string name = "m" + std::to_string(i);
    children.emplace_back(name, MakeModule("Relu" + std::to_string(i),
                                           "def forward(self, x: Tensor) -> "
                                           "Tensor:\n"
                                           "  return torch.relu(x)\n"));
    body.push_back("x = self." + name + ".forward(x)");
    replacements[name] = Scale(1)._ivalue();
  }
  body.emplace_back("return x");
  ModuleEditor editor = OrThrow(ModuleEditor::Copy(MakeModel(children, body)));
  NS_ASSERT_OK(editor.Swap(replacements));
  std::set<std::string> names;
  for (const std::string& path : editor.Paths()) {
    names.insert(OrThrow(editor.At(path)).type()->name()->qualifiedName());
  }
  EXPECT_EQ(names.size(), 41);
  EXPECT_EQ(editor.root().forward({at::ones({1})}).toTensor().item<float>(), 1);
}

TEST(ModuleEditorTest, SwapChangesOneObjectAndNotItsTwin) {
  Module pair = Pair();
  ModuleEditor editor = OrThrow(ModuleEditor::Copy(pair));
  NS_ASSERT_OK(editor.Swap({{"b", Scale(7)._ivalue()}}));
  EXPECT_EQ(ResultOf(editor.root(), 1, true), 14);
  EXPECT_EQ(ResultOf(editor.root(), 1, false), 2);
  EXPECT_EQ(ResultOf(pair, 1), 20);
}

TEST(ModuleEditorTest, SwapsSeveralAtOnce) {
  ModuleEditor editor = OrThrow(ModuleEditor::Copy(Pair()));
  NS_ASSERT_OK(
      editor.Swap({{"a", Scale(5)._ivalue()}, {"b", Scale(7)._ivalue()}}));
  EXPECT_EQ(ResultOf(editor.root(), 1), 35);
}

TEST(ModuleEditorTest, OneObjectHasOneReplacement) {
  const Module shared = Scale(3);
  ModuleEditor editor = OrThrow(ModuleEditor::Copy(
      MakeModule("Twice",
                 "def forward(self, x: Tensor, twice: bool) -> Tensor:\n"
                 "  return self.b.forward(self.a.forward(x))\n",
                 {}, {{"a", shared}, {"b", shared}})));
  EXPECT_THAT(MessageOfStatus(editor.Swap(
                  {{"a", Scale(5)._ivalue()}, {"b", Scale(7)._ivalue()}})),
              HasSubstr("module 'b' has another path, too"));
  EXPECT_EQ(ResultOf(editor.root(), 1), 9);
}

TEST(ModuleEditorTest, EditedModulesSaveAndLoad) {
  ModuleEditor editor = OrThrow(ModuleEditor::Copy(Pair()));
  NS_ASSERT_OK(editor.Swap({{"b", Scale(7)._ivalue()}}));
  NS_ASSERT_OK(editor.HookOutput("a", "hook", Scale(100)._ivalue()));
  NS_ASSERT_OK(editor.HookInput("b", "hook", Scale(1000)._ivalue()));
  const std::string path = TemporaryPath("edited.pt");
  editor.root().save(path);
  Module loaded = OrThrow(LoadModule(path));
  EXPECT_EQ(ResultOf(loaded, 1), 1400000);
  EXPECT_EQ(ResultOf(loaded, 1, false), 200);
}

TEST(ModuleEditorTest, TensorsAreSharedUnlessCopiesAreAsked) {
  const Module scale = Scale(2);
  const auto factor = [](const ModuleEditor& editor) {
    return editor.root().attr("factor").toTensor();
  };
  const at::Tensor original = scale.attr("factor").toTensor();
  EXPECT_TRUE(factor(OrThrow(ModuleEditor::Copy(scale))).is_same(original));
  EXPECT_FALSE(
      factor(OrThrow(ModuleEditor::Copy(scale, ModuleEditor::Tensors::kCopied)))
          .is_same(original));
}

TEST(ModuleEditorTest, ModulesInsideOfReplacedOnesCannotBeSwapped) {
  const Module inner = MakeModule("Inner",
                                  "def forward(self, x: Tensor) -> Tensor:\n"
                                  "  return self.b.forward(x)\n",
                                  {}, {{"b", Scale(2)}});
  const Module outer = MakeModule("Outer",
                                  "def forward(self, x: Tensor) -> Tensor:\n"
                                  "  return self.a.forward(x)\n",
                                  {}, {{"a", inner}});
  ModuleEditor editor = OrThrow(ModuleEditor::Copy(outer));
  EXPECT_EQ(editor.Swap({{"a", inner._ivalue()}, {"a.b", Scale(3)._ivalue()}})
                .message(),
            "module 'a.b' is inside 'a', which is replaced, too; swap it in "
            "the new module instead");
}

// As of weights of an LSTM that lie in one buffer.
TEST(ModuleEditorTest, CopiesOfViewsKeepTheirValues) {
  Module scale = Scale(2);
  const at::Tensor both = at::rand({2});
  scale.setattr("factor", both.narrow(0, 1, 1));
  const Module pair =
      MakeModule("Pair",
                 "def forward(self, x: Tensor) -> Tensor:\n"
                 "  return self.a.forward(x) * self.first\n",
                 {{"first", both.narrow(0, 0, 1)}}, {{"a", scale}});
  const ModuleEditor copy =
      OrThrow(ModuleEditor::Copy(pair, ModuleEditor::Tensors::kCopied));
  EXPECT_TRUE(copy.root().attr("first").toTensor().equal(both.narrow(0, 0, 1)));
  EXPECT_TRUE(copy.root().attr("a").toModule().attr("factor").toTensor().equal(
      both.narrow(0, 1, 1)));
}

TEST(ModuleEditorTest, CopiesOfParametersCanBeTrained) {
  Module scale = Scale(2);
  scale.setattr("factor", at::full({1}, 2.0F).requires_grad_());
  const ModuleEditor copy =
      OrThrow(ModuleEditor::Copy(scale, ModuleEditor::Tensors::kCopied));
  const at::Tensor factor = copy.root().attr("factor").toTensor();
  EXPECT_TRUE(factor.requires_grad() && factor.is_leaf());
  EXPECT_NE(factor.data_ptr(), scale.attr("factor").toTensor().data_ptr());
}

// Adds one before the first factor; the hook behind the second reads it.
Module HookedPair() {
  Module pair = MakeModule("HookedPair",
                           "def forward(self, x: Tensor) -> Tensor:\n"
                           "  return self.b.forward(self.a.forward(x))\n",
                           {}, {{"a", Scale(2)}, {"b", Scale(3)}});
  AddPreHook(
      "def add_one(self, input: Tuple[Tensor]) -> Tuple[Tensor]:\n"
      "  return (input[0] + 1,)\n",
      "a", pair);
  AddHook(
      "def add_factor(self, input: Tuple[Tensor], output: Tensor) -> Tensor:\n"
      "  return output + self.factor + input[0] * 100\n",
      "b", pair);
  return pair;
}

float RunHooked(Module& module, float x) {
  return module.forward({at::full({1}, x)}).toTensor().item<float>();
}

TEST(ModuleEditorTest, HooksAreCopied) {
  Module pair = HookedPair();
  EXPECT_EQ(RunHooked(pair, 0), 6 + 3 + 200);
  ModuleEditor editor = OrThrow(ModuleEditor::Copy(pair));
  EXPECT_EQ(RunHooked(editor.root(), 0), 6 + 3 + 200);
  const auto type = OrThrow(editor.At("b")).type();
  ASSERT_EQ(type->getForwardHooks().size(), 1);
  EXPECT_NE(type->getForwardHooks()[0],
            pair.attr("b").toModule().type()->getForwardHooks()[0]);
  EXPECT_EQ(OrThrow(editor.At("a")).type()->getForwardPreHooks().size(), 1);
}

TEST(ModuleEditorTest, AReplacementGetsTheHooks) {
  Module pair = HookedPair();
  ModuleEditor editor = OrThrow(ModuleEditor::Copy(pair));
  NS_ASSERT_OK(
      editor.Swap({{"a", Scale(5)._ivalue()}, {"b", Scale(7)._ivalue()}}));
  EXPECT_EQ(RunHooked(editor.root(), 0), 35 + 7 + 500);
  EXPECT_EQ(RunHooked(pair, 0), 6 + 3 + 200);
  const std::string path = TemporaryPath("hooked.pt");
  editor.root().save(path);
  Module loaded = OrThrow(LoadModule(path));
  EXPECT_EQ(RunHooked(loaded, 0), 35 + 7 + 500);
  ModuleEditor again = OrThrow(ModuleEditor::Copy(loaded));
  NS_ASSERT_OK(again.Swap({{"b", Scale(1)._ivalue()}}));
  EXPECT_EQ(RunHooked(again.root(), 0), 5 + 1 + 500);
}

// Two objects of one class call one function in the file.
TEST(ModuleEditorTest, TwinsGetHooksOfTheirOwn) {
  Module pair = Pair();
  AddHook(
      "def add_factor(self, input: Tuple[Tensor], output: Tensor) -> Tensor:\n"
      "  return output + self.factor\n",
      "a", pair);
  CallHooks("b", pair);
  EXPECT_EQ(ResultOf(pair, 1), 50);
  ModuleEditor editor = OrThrow(ModuleEditor::Copy(pair));
  NS_ASSERT_OK(editor.Swap({{"b", Scale(7)._ivalue()}}));
  EXPECT_EQ(ResultOf(editor.root(), 1, false), 4);
  EXPECT_EQ(ResultOf(editor.root(), 1), 35);
}

TEST(ModuleEditorTest, AHookThatIsThereTwiceStaysSo) {
  Module pair = HookedPair();
  const auto type = pair.attr("b").toModule().type();
  type->addForwardHook(type->getForwardHooks()[0]);
  const ModuleEditor editor = OrThrow(ModuleEditor::Copy(pair));
  const auto copied = OrThrow(editor.At("b")).type();
  ASSERT_EQ(copied->getForwardHooks().size(), 2);
  EXPECT_EQ(copied->getForwardHooks()[0], copied->getForwardHooks()[1]);
}

// No hook, and no module to call it with.
TEST(ModuleEditorTest, CodeMayCallAFunctionWithoutArguments) {
  Module model = MakeModel({}, {"return x"});
  auto& graph =
      *torch::jit::toGraphFunction(model.get_method("forward").function())
           .graph();
  auto unit = std::make_shared<torch::jit::CompilationUnit>();
  unit->define(c10::nullopt, "def three() -> int:\n  return 3\n",
               torch::jit::nativeResolver(), nullptr);
  const torch::jit::WithInsertPoint at(*graph.nodes().begin());
  torch::jit::Node* function =
      graph.insertNode(graph.create(c10::prim::Constant));
  function->s_(c10::attr::name, "three");
  function->output()->setType(
      c10::FunctionType::create(unit->find_function("three")));
  graph.insertNode(graph.create(c10::prim::CallFunction, {function->output()}))
      ->output()
      ->setType(c10::IntType::get());
  NS_EXPECT_OK(ModuleEditor::Copy(model).status());
}

TEST(ModuleEditorTest, SaysWhatAHookLacksInAReplacement) {
  ModuleEditor editor = OrThrow(ModuleEditor::Copy(HookedPair()));
  const Module relu = MakeModule("Relu",
                                 "def forward(self, x: Tensor) -> Tensor:\n"
                                 "  return torch.relu(x)\n");
  EXPECT_THAT(MessageOfStatus(editor.Swap({{"b", relu._ivalue()}})),
              HasSubstr("forward hook 'add_factor' of module 'b': module 'b' "
                        "has no attribute 'factor', which the code of module "
                        "'b' uses"));
}

TEST(ModuleEditorTest, SaysWhichModuleIsNotThere) {
  ModuleEditor editor = OrThrow(ModuleEditor::Copy(Pair()));
  EXPECT_THAT(MessageOf(editor.At("c")), HasSubstr("there is no module 'c'"));
  // At takes "." for the root, too.
  for (const char* root : {"", "."}) {
    EXPECT_THAT(MessageOfStatus(editor.Swap({{root, Scale(1)._ivalue()}})),
                HasSubstr("the root module cannot be swapped"));
  }
}

TEST(ModuleEditorTest, SaysWhatAReplacementLacks) {
  ModuleEditor editor = OrThrow(ModuleEditor::Copy(Pair()));
  const Module other = MakeModule("Other",
                                  "def forward(self, x: Tensor, y: Tensor) -> "
                                  "Tensor:\n"
                                  "  return x * y\n");
  EXPECT_THAT(MessageOfStatus(editor.Swap({{"b", other._ivalue()}})),
              AllOf(HasSubstr("module 'b': its method is forward(__torch__."),
                    HasSubstr("Other self, Tensor x, Tensor y)")));
}

TEST(ModuleEditorTest, UnhookTakesBackWhatHooksDid) {
  ModuleEditor editor = OrThrow(ModuleEditor::Copy(Pair()));
  NS_ASSERT_OK(editor.HookOutput("a", "out", Scale(100)._ivalue()));
  NS_ASSERT_OK(editor.HookInput("b", "in", Scale(1000)._ivalue()));
  NS_ASSERT_OK(editor.Unhook({"a"}, "out"));
  NS_ASSERT_OK(editor.Unhook({"b"}, "in"));
  EXPECT_EQ(ResultOf(editor.root(), 1), 20);
  EXPECT_FALSE(editor.root().attr("a").toModule().hasattr("out"));
  EXPECT_FALSE(editor.root().attr("b").toModule().hasattr("in"));
  EXPECT_THAT(MessageOfStatus(editor.Unhook({"a"}, "out")),
              HasSubstr("module 'a' has no attribute 'out'"));
}

TEST(ModuleEditorTest, UnhookOfSeveralTakesBackAllOrNone) {
  ModuleEditor editor = OrThrow(ModuleEditor::Copy(Pair()));
  NS_ASSERT_OK(editor.HookOutput("a", "out", Scale(100)._ivalue()));
  EXPECT_THAT(MessageOfStatus(editor.Unhook({"a", "b"}, "out")),
              HasSubstr("module 'b' has no attribute 'out'"));
  EXPECT_TRUE(editor.root().attr("a").toModule().hasattr("out"));
  NS_ASSERT_OK(editor.HookOutput("b", "out", Scale(1000)._ivalue()));
  NS_ASSERT_OK(editor.Unhook({"a", "b"}, "out"));
  EXPECT_EQ(ResultOf(editor.root(), 1), 20);
}

// Calls the hook 'out' of its child, as HookOutput lets it do.
Module WithHookedChild(const std::string& forward) {
  const Module child = MakeModule("Child",
                                  "def forward(self, x: Tensor) -> Tensor:\n"
                                  "  return self.out.forward(x)\n",
                                  {}, {{"out", Scale(5)}});
  return MakeModule(
      "Root", "def forward(self, x: Tensor) -> Tensor:\n  " + forward + "\n",
      {}, {{"a", child}});
}

void ExpectKeepsHook(const Module& model, const std::string& user) {
  ModuleEditor editor = OrThrow(ModuleEditor::Copy(model));
  EXPECT_THAT(MessageOfStatus(editor.Unhook({"a"}, "out")),
              HasSubstr("the code of module '" + user +
                        "' uses the attribute 'out' of module 'a' otherwise "
                        "than a hook"));
  EXPECT_EQ(RunHooked(editor.root(), 1), 25);
}

TEST(ModuleEditorTest, UnhookKeepsWhatOtherCodeReads) {
  ModuleEditor editor =
      OrThrow(ModuleEditor::Copy(WithHookedChild("return self.a.forward(x)")));
  NS_EXPECT_OK(editor.Unhook({"a"}, "out"));
  ExpectKeepsHook(
      WithHookedChild("return self.a.forward(x) * self.a.out.factor"), "");
  Module hooked = WithHookedChild("return self.a.forward(x)");
  AddHook(
      "def times(self, input: Tuple[Tensor], output: Tensor) -> Tensor:\n"
      "  return output * self.out.factor\n",
      "a", hooked);
  ExpectKeepsHook(hooked, "a");
}

TEST(ModuleEditorTest, RemovesAttributes) {
  ModuleEditor editor = OrThrow(ModuleEditor::Copy(Pair()));
  Module a = OrThrow(editor.At("a"));
  a.register_attribute("note", c10::StringType::get(), "text");
  NS_ASSERT_OK(editor.RemoveAttribute("a", "note"));
  EXPECT_FALSE(a.hasattr("note"));
  EXPECT_EQ(ResultOf(editor.root(), 1), 20);
}

TEST(ModuleEditorTest, RefusesHooksThatDoNotFit) {
  const Module tuple =
      MakeModule("Tuples",
                 "def forward(self, x: Tensor) -> Tuple[Tensor, Tensor]:\n"
                 "  return x, x\n");
  ModuleEditor editor = OrThrow(
      ModuleEditor::Copy(MakeModule("Root",
                                    "def forward(self, x: Tensor) -> Tensor:\n"
                                    "  y, z = self.t.forward(x)\n"
                                    "  return y + z\n",
                                    {}, {{"t", tuple}})));
  EXPECT_THAT(
      MessageOfStatus(editor.HookOutput("t", "hook", Scale(1)._ivalue())),
      HasSubstr("module 't' cannot be hooked: it returns Tuple[Tensor, "
                "Tensor], not a tensor"));
  EXPECT_THAT(MessageOfStatus(editor.HookInput("t", "hook", at::ones({1}))),
              HasSubstr("forward(Tensor) -> Tensor"));
  const Module list =
      MakeModule("Lists",
                 "def forward(self, x: List[Tensor]) -> Tensor:\n"
                 "  return x[0]\n");
  EXPECT_THAT(MessageOfStatus(editor.HookInput("t", "hook", list._ivalue())),
              HasSubstr("forward(Tensor) -> Tensor"));
  NS_ASSERT_OK(editor.HookInput("t", "hook", Scale(1)._ivalue()));
  EXPECT_THAT(
      MessageOfStatus(editor.HookInput("t", "hook", Scale(1)._ivalue())),
      HasSubstr("it has an attribute 'hook' already"));
}

}  // namespace
}  // namespace ns
