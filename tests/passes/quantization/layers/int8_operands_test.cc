#include "passes/quantization/layers/int8_operands.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/ir/ir.h>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "tests/testing/graph_with.h"
#include "tests/testing/ir.h"

namespace ns {
namespace {

Subgraph SubgraphOf(torch::jit::Graph& graph, absl::string_view op) {
  torch::jit::Node* node = NodeOf(graph, op);
  return {node, node, node, {node}};
}

TEST(Int8OperandsTest, AreTheDataInputsOfALayer) {
  const auto graph = GraphWith(R"IR(
graph(%x : Tensor, %w : Tensor):
  %none : NoneType = prim::Constant()
  %y : Tensor = aten::linear(%x, %w, %none)
  return (%y))IR",
                               {{"w", at::ones({2, 2})}});
  const auto operands = Int8OperandsOf(SubgraphOf(*graph, "aten::linear"));
  ASSERT_TRUE(operands);
  ASSERT_EQ(operands->size(), 1);
  EXPECT_EQ(operands->front().value, graph->inputs()[0]);
  EXPECT_EQ(operands->front().user, NodeOf(*graph, "aten::linear"));
}

TEST(Int8OperandsTest, OfAProductIncludeConstantsAndNoNumbers) {
  const auto graph = GraphWith(R"IR(
graph(%x : Tensor, %c : Tensor):
  %two : float = prim::Constant[value=2.]()
  %y : Tensor = aten::mul(%x, %c)
  %z : Tensor = aten::mul(%y, %two)
  return (%z))IR",
                               {{"c", at::ones({2})}});
  torch::jit::Node* scaled = NodeOf(*graph, "aten::mul", 1);
  EXPECT_EQ(Int8OperandsOf(SubgraphOf(*graph, "aten::mul"))->size(), 2);
  EXPECT_EQ(Int8OperandsOf({scaled, scaled, scaled, {scaled}})->size(), 1);
}

TEST(Int8OperandsTest, OfAListAreItsElementsTakenByTheList) {
  const auto graph = GraphOf(R"IR(
graph(%x : Tensor, %y : Tensor):
  %one : int = prim::Constant[value=1]()
  %list : Tensor[] = prim::ListConstruct(%x, %y)
  %z : Tensor = aten::cat(%list, %one)
  return (%z))IR");
  const auto operands = Int8OperandsOf(SubgraphOf(*graph, "aten::cat"));
  ASSERT_TRUE(operands);
  ASSERT_EQ(operands->size(), 2);
  EXPECT_EQ(operands->back().value, graph->inputs()[1]);
  EXPECT_EQ(operands->back().user, NodeOf(*graph, "prim::ListConstruct"));
}

TEST(Int8OperandsTest, OnlyARunTellsWhatAListParameterHolds) {
  const auto graph = GraphOf(R"IR(
graph(%list : Tensor[]):
  %one : int = prim::Constant[value=1]()
  %z : Tensor = aten::cat(%list, %one)
  return (%z))IR");
  EXPECT_FALSE(Int8OperandsOf(SubgraphOf(*graph, "aten::cat")));
}

}  // namespace
}  // namespace ns
