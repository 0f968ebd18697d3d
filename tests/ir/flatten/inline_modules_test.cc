#include "ir/flatten/inline_modules.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/frontend/resolver.h>
#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/graph/module_path.h"
#include "tests/testing/ir.h"
#include "tests/testing/modules.h"
#include "tests/testing/short_ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::torch::jit::Graph;
using ::torch::jit::Module;

class InlineModulesTest : public testing::Test {
 protected:
  // The graph of `model`, inlined.
  static std::shared_ptr<Graph> Inlined(const Module& model) {
    const auto graph = model.get_method("forward").graph()->copy();
    NS_EXPECT_OK(InlineModules(model, *graph).status());
    return graph;
  }

  // Call names of the nodes of `op`.
  static std::vector<std::string> Paths(const Graph& graph,
                                        absl::string_view op) {
    std::vector<std::string> paths;
    for (const torch::jit::Node* node : NodesOf(graph, op)) {
      paths.push_back(CallName(ModulePathOf(*node)));
    }
    return paths;
  }

  static Module Block(const std::string& type = "Block") {
    return MakeModule(type,
                      "def forward(self, x: Tensor) -> Tensor:\n"
                      "    return self.relu.forward(x)\n",
                      {}, {{"relu", Relu()}});
  }
};

TEST_F(InlineModulesTest, LeavesNoCalls) {
  const auto graph =
      Inlined(MakeModel({{"a", Block()}}, {"return self.a.forward(x)"}));
  EXPECT_THAT(NodesOf(*graph, "prim::CallMethod"), IsEmpty());
  EXPECT_EQ(NodesOf(*graph, "aten::relu").size(), 1);
}

TEST_F(InlineModulesTest, TellsModulesOfOneNameInTwoParentsApart) {
  const auto graph =
      Inlined(MakeModel({{"a", Block()}, {"b", Block("Other")}},
                        {"return self.b.forward(self.a.forward(x))"}));
  EXPECT_THAT(Paths(*graph, "aten::relu"), ElementsAre("a.relu", "b.relu"));
}

TEST_F(InlineModulesTest, RecordsType) {
  const auto graph =
      Inlined(MakeModel({{"relu", Relu()}}, {"return self.relu.forward(x)"}));
  EXPECT_EQ(ModulePathOf(*NodeOf(*graph, "aten::relu")).type,
            "torch.nn.modules.activation.ReLU");
}

TEST_F(InlineModulesTest, NumbersCallsOfOneModule) {
  const auto graph = Inlined(MakeModel(
      {{"relu", Relu()}},
      {"return self.relu.forward(self.relu.forward(self.relu.forward(x)))"}));
  EXPECT_THAT(Paths(*graph, "aten::relu"),
              ElementsAre("relu", "relu@1", "relu@2"));
}

TEST_F(InlineModulesTest, NumbersCallsOfModuleInsideModuleCalledTwice) {
  const auto graph = Inlined(MakeModel(
      {{"a", Block()}}, {"return self.a.forward(self.a.forward(x))"}));
  EXPECT_THAT(Paths(*graph, "aten::relu"), ElementsAre("a.relu", "a.relu@1"));
}

TEST_F(InlineModulesTest, EntersControlFlow) {
  const auto graph = Inlined(MakeModel(
      {{"relu", Relu()}}, {"for i in range(3):", "    if i > 1:",
                           "        x = self.relu.forward(x)", "return x"}));
  EXPECT_THAT(Paths(*graph, "aten::relu"), ElementsAre("relu"));
}

TEST_F(InlineModulesTest, GivesCodeOfRootAnEmptyPath) {
  const auto graph = Inlined(MakeModel({}, {"return torch.relu(x)"}));
  EXPECT_THAT(Paths(*graph, "aten::relu"), ElementsAre(""));
  EXPECT_EQ(ModulePathOf(*NodeOf(*graph, "aten::relu")).type, "Model");
}

TEST_F(InlineModulesTest, OtherMethodOfSameModuleKeepsPath) {
  const Module block = MakeModule("Block",
                                  "def helper(self, x: Tensor) -> Tensor:\n"
                                  "    return torch.relu(x)\n"
                                  "def forward(self, x: Tensor) -> Tensor:\n"
                                  "    return self.helper(self.helper(x))\n");
  const auto graph =
      Inlined(MakeModel({{"block", block}}, {"return self.block.forward(x)"}));
  EXPECT_THAT(Paths(*graph, "aten::relu"), ElementsAre("block", "block"));
}

TEST_F(InlineModulesTest, PartsOfFusedModuleAreOneLayer) {
  const Module fused =
      MakeModule("torch.nn.intrinsic.modules.fused.ConvReLU2d",
                 "def forward(self, x: Tensor) -> Tensor:\n"
                 "    return getattr(self, \"1\").forward(getattr(self, "
                 "\"0\").forward(x))\n",
                 {}, {{"0", Conv2d(at::ones({1, 1, 1, 1}))}, {"1", Relu()}});
  const auto graph =
      Inlined(MakeModel({{"conv", fused}}, {"return self.conv.forward(x)"}));
  EXPECT_THAT(Paths(*graph, "aten::conv2d"), ElementsAre("conv"));
  EXPECT_THAT(Paths(*graph, "aten::relu"), ElementsAre("conv"));
}

TEST_F(InlineModulesTest, CalledFunctionKeepsPathOfCaller) {
  Module block("__torch__.Block");
  auto functions = std::make_shared<torch::jit::CompilationUnit>();
  functions->define(c10::nullopt,
                    "def twice(x: Tensor) -> Tensor:\n    return x + x\n",
                    torch::jit::nativeResolver(), nullptr);
  const auto graph = GraphOf(R"IR(
graph(%x : Tensor):
  return (%x))IR");
  graph->insertInput(0, "self")->setType(block.type());
  torch::jit::Node* constant =
      graph->insertNode(graph->create(c10::prim::Constant));
  constant->s_(c10::attr::name, "twice");
  constant->output()->setType(
      c10::FunctionType::create(&functions->get_function("twice")));
  torch::jit::Node* call = graph->insertNode(graph->create(
      c10::prim::CallFunction, {constant->output(), graph->inputs()[1]}));
  graph->eraseOutput(0);
  graph->registerOutput(call->output());
  NS_ASSERT_OK(InlineModules(block, *graph).status());
  EXPECT_EQ(NodesOf(*graph, "prim::CallFunction").size(), 0);
  EXPECT_THAT(Paths(*graph, "aten::add"), ElementsAre(""));
  EXPECT_EQ(ModulePathOf(*NodeOf(*graph, "aten::add")).type, "Block");
}

// Makes of a call: forks it, and waits for it.
void Fork(Graph& graph, torch::jit::Node* call) {
  auto body = std::make_shared<Graph>();
  std::vector<torch::jit::Value*> arguments;
  for (const torch::jit::Value* input : call->inputs()) {
    arguments.push_back(body->addInput()->setType(input->type()));
  }
  torch::jit::Node* inner =
      body->insertNode(body->create(c10::prim::CallMethod, arguments));
  inner->s_(c10::attr::name, call->s(c10::attr::name));
  inner->output()->setType(call->output()->type());
  body->registerOutput(inner->output());
  torch::jit::WithInsertPoint at(call);
  torch::jit::Node* fork =
      graph.insertNode(graph.create(c10::prim::fork, call->inputs()));
  fork->g_(c10::attr::Subgraph, body);
  fork->output()->setType(c10::FutureType::create(call->output()->type()));
  call->output()->replaceAllUsesWith(
      graph.insert(c10::aten::wait, {fork->output()}));
  call->destroy();
}

TEST_F(InlineModulesTest, RunsForkedModulesInLine) {
  const Module model =
      MakeModel({{"a", Block()}, {"b", Block()}},
                {"for i in range(2):", "    x = self.a.forward(x)",
                 "return self.b.forward(x)"});
  const auto graph = model.get_method("forward").graph()->copy();
  for (torch::jit::Node* call : NodesOf(*graph, "prim::CallMethod")) {
    Fork(*graph, call);
  }
  ASSERT_EQ(NodesOf(*graph, "prim::fork").size(), 2);
  NS_ASSERT_OK(InlineModules(model, *graph).status());
  EXPECT_EQ(ShortIr(*graph), ShortIr(*Inlined(model)));
  EXPECT_THAT(Paths(*graph, "aten::relu"), ElementsAre("a.relu", "b.relu"));
}

TEST_F(InlineModulesTest, RefusesRecursionWithOneLine) {
  Module model = MakeModel({}, {"return torch.relu(x)"});
  const auto graph = GraphOf(R"IR(
graph(%x : Tensor):
  return (%x))IR");
  torch::jit::Value* self = graph->insertInput(0, "self");
  self->setType(model.type());
  torch::jit::Node* call = graph->insertNode(
      graph->create(c10::prim::CallMethod, {self, graph->inputs()[1]}));
  call->s_(c10::attr::name, "forever");
  graph->eraseOutput(0);
  graph->registerOutput(call->output());
  model.type()->addMethod(model._ivalue()->compilation_unit()->create_function(
      c10::QualifiedName(*model.type()->name(), "forever"), graph));
  const absl::Status status = InlineModules(model, *graph->copy()).status();
  EXPECT_THAT(std::string(status.message()), HasSubstr("recursive"));
  EXPECT_THAT(std::string(status.message()), Not(HasSubstr("\n")));
}

// A model that calls `a` in a loop, and an op and the module `relu` besides.
Module WithLeaf(const Module& a) {
  return MakeModel({{"a", a}, {"relu", Relu()}},
                   {"for i in range(2):", "    x = self.a.forward(x)",
                    "return self.relu.forward(torch.neg(x))"});
}

TEST_F(InlineModulesTest, KeepsCallOfLeafWithItsPath) {
  const Module model = WithLeaf(Block());
  const auto graph = model.get_method("forward").graph()->copy();
  NS_ASSERT_OK(InlineModules(model, *graph, LeafTypes({"Block"})).status());
  const auto calls = LeafCalls(*graph);
  ASSERT_EQ(calls.size(), 1);
  EXPECT_EQ(ModulePathOf(*calls[0]), (ModulePath{"a", 0, "Block"}));
  EXPECT_THAT(Paths(*graph, "aten::neg"), ElementsAre(""));
  EXPECT_THAT(Paths(*graph, "aten::relu"), ElementsAre("relu"));
}

TEST_F(InlineModulesTest, NumbersCallsOfLeaf) {
  const Module model = MakeModel(
      {{"relu", Relu()}}, {"return self.relu.forward(self.relu.forward(x))"});
  const auto graph = model.get_method("forward").graph()->copy();
  NS_ASSERT_OK(InlineModules(model, *graph, LeafTypes({"ReLU"})).status());
  EXPECT_THAT(Paths(*graph, "prim::CallMethod"), ElementsAre("relu", "relu@1"));
}

TEST_F(InlineModulesTest, KeepsCallOfLeafInsideInlinedModule) {
  const Module model =
      MakeModel({{"a", Block()}}, {"return self.a.forward(x)"});
  const auto graph = model.get_method("forward").graph()->copy();
  NS_ASSERT_OK(InlineModules(model, *graph, [](const ModulePath& callee) {
                 return callee.fqn == "a.relu";
               }).status());
  EXPECT_THAT(Paths(*graph, "prim::CallMethod"), ElementsAre("a.relu"));
}

TEST_F(InlineModulesTest, KeepsOtherMethodsOfLeaf) {
  const Module functional =
      MakeModule("torch.ao.nn.quantized.modules.FloatFunctional",
                 "def add(self, x: Tensor, y: Tensor) -> Tensor:\n"
                 "    return torch.add(x, y)\n");
  const Module model =
      MakeModel({{"sum", functional}}, {"return self.sum.add(x, x)"});
  const auto graph = model.get_method("forward").graph()->copy();
  NS_ASSERT_OK(
      InlineModules(model, *graph,
                    LeafTypes({"torch.nn.quantized.modules.FloatFunctional"}))
          .status());
  ASSERT_EQ(LeafCalls(*graph).size(), 1);
  EXPECT_EQ(LeafCalls(*graph)[0]->s(c10::attr::name), "add");
}

TEST_F(InlineModulesTest, InlinesWhatIsNoLeaf) {
  const Module model = WithLeaf(Block());
  const auto graph = model.get_method("forward").graph()->copy();
  NS_ASSERT_OK(
      InlineModules(model, *graph, LeafTypes({"Blo", "Model"})).status());
  EXPECT_THAT(LeafCalls(*graph), IsEmpty());
}

}  // namespace
}  // namespace ns
