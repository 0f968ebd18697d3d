#include "ir/graph/graph_state.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "tests/testing/ir.h"

namespace ns {
namespace {

using ::torch::jit::Graph;

std::shared_ptr<Graph> Branch() {
  return GraphOf(R"IR(
graph(%x : Tensor, %p : bool):
  %y : Tensor = prim::If(%p)
    block0():
      %three : int = prim::Constant[value=3]()
      %a : Tensor = aten::add(%x, %x, %three)
      -> (%a)
    block1():
      -> (%x)
  return (%y))IR");
}

TEST(GraphStateTest, StaysWhileNothingChanges) {
  const auto graph = Branch();
  EXPECT_EQ(StateOf(*graph), StateOf(*graph));
  EXPECT_EQ(StateOf(*graph), StateOf(*Branch()));
}

TEST(GraphStateTest, TellsChangedUsesNamesTypesAndBlocks) {
  const std::string before = StateOf(*Branch());
  const auto other_name = Branch();
  NodeOf(*other_name, "prim::If")->output()->setDebugName("z");
  EXPECT_NE(StateOf(*other_name), before);
  const auto other_type = Branch();
  NodeOf(*other_type, "aten::add")->output()->setType(c10::AnyType::get());
  EXPECT_NE(StateOf(*other_type), before);
  const auto other_use = Branch();
  NodeOf(*other_use, "aten::add")
      ->output()
      ->replaceAllUsesWith(other_use->inputs()[0]);
  EXPECT_NE(StateOf(*other_use), before);
}

TEST(GraphStateTest, TellsTensorsOfOneShapeApart) {
  const auto graph = GraphOf(R"IR(
graph(%x : Tensor):
  %y : Tensor = aten::relu(%x)
  return (%y))IR");
  const at::Tensor zeros = at::zeros({2});
  const at::Tensor same = at::zeros({2});
  torch::jit::WithInsertPoint at(NodeOf(*graph, "aten::relu"));
  torch::jit::Node* constant = graph->insertConstant(zeros)->node();
  const std::string before = StateOf(*graph);
  constant->t_(c10::attr::value, same);
  EXPECT_NE(StateOf(*graph), before);
  constant->t_(c10::attr::value, zeros);
  EXPECT_EQ(StateOf(*graph), before);
}

}  // namespace
}  // namespace ns
