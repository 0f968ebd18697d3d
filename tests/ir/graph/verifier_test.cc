#include "ir/graph/verifier.h"

#include <torch/csrc/jit/ir/ir.h>

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::HasSubstr;

constexpr char kGraph[] = R"IR(
graph(%x : Tensor, %p : bool):
  %a : Tensor = aten::neg(%x)
  %b : Tensor = prim::If(%p)
    block0():
      %c : Tensor = aten::tanh(%a)
      -> (%c)
    block1():
      -> (%x)
  %d : Tensor = aten::relu(%b)
  return (%d))IR";

std::string Broken(const torch::jit::Graph& graph) {
  const absl::Status status = VerifyGraph(graph);
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  return std::string(status.message());
}

TEST(VerifyGraphTest, AcceptsGraph) {
  NS_EXPECT_OK(VerifyGraph(*GraphOf(kGraph)));
}

TEST(VerifyGraphTest, RefusesUseOfValueFromInsideControlFlow) {
  const auto graph = GraphOf(kGraph);
  NodeOf(*graph, "aten::relu")
      ->replaceInput(0, NodeOf(*graph, "aten::tanh")->output());
  EXPECT_THAT(Broken(*graph), HasSubstr("aten::relu"));
}

TEST(VerifyGraphTest, RefusesReturnOfValueFromInsideControlFlow) {
  const auto graph = GraphOf(kGraph);
  graph->return_node()->replaceInput(0, NodeOf(*graph, "aten::tanh")->output());
  EXPECT_THAT(Broken(*graph), HasSubstr("before it is defined"));
}

TEST(VerifyGraphTest, RefusesOperatorThatDoesNotTakeItsInputs) {
  const auto graph = GraphOf(kGraph);
  NodeOf(*graph, "aten::relu")->replaceInput(0, graph->inputs()[1]);
  EXPECT_THAT(Broken(*graph), HasSubstr("is no operator with these inputs"));
}

TEST(VerifyGraphTest, RefusesIfWhoseArmReturnsTooLittle) {
  const auto graph = GraphOf(kGraph);
  NodeOf(*graph, "prim::If")->blocks()[1]->eraseOutput(0);
  EXPECT_THAT(Broken(*graph), HasSubstr("prim::If"));
}

TEST(VerifyGraphTest, RefusesUseByNodeThatWasNotInserted) {
  const auto graph = GraphOf(kGraph);
  torch::jit::Node* node = graph->create(c10::aten::relu, {graph->inputs()[0]});
  EXPECT_NE(Broken(*graph), "");
  node->destroy();
  NS_EXPECT_OK(VerifyGraph(*graph));
}

}  // namespace
}  // namespace ns
