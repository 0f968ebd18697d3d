#include "ir/graph/graph_copy.h"

#include <memory>
#include <vector>

#include "gtest/gtest.h"
#include "tests/testing/ir.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::Node;

constexpr char kNested[] = R"IR(
graph(%x : Tensor, %p : bool):
  %a : Tensor = aten::relu(%x)
  %y : Tensor = prim::If(%p)
    block0():
      %b : Tensor = aten::tanh(%a)
      -> (%b)
    block1():
      -> (%a)
  return (%y))IR";

TEST(GraphCopyTest, FindsNodesBlocksAndValues) {
  const std::shared_ptr<Graph> graph = GraphOf(kNested);
  const std::shared_ptr<Graph> copied = graph->copy();
  const GraphCopy copy(*graph, *copied);
  EXPECT_EQ(copy.Of(graph->inputs()[1]), copied->inputs()[1]);
  Node* branch = *++graph->nodes().begin();
  Node* copied_branch = *++copied->nodes().begin();
  ASSERT_EQ(branch->kind(), c10::prim::If);
  EXPECT_EQ(copy.Of(branch), copied_branch);
  EXPECT_EQ(copy.Of(branch->blocks()[0]), copied_branch->blocks()[0]);
  EXPECT_EQ(copy.Of(branch->blocks()[0]->outputs()[0]),
            copied_branch->blocks()[0]->outputs()[0]);
  EXPECT_EQ(copy.Of(static_cast<const Node*>(nullptr)), nullptr);
  EXPECT_EQ(copy.Of(static_cast<const torch::jit::Value*>(nullptr)), nullptr);
}

// Pairs stay when the copy changes.
TEST(GraphCopyTest, OutlivesChangesOfTheCopy) {
  const std::shared_ptr<Graph> graph = GraphOf(kNested);
  const std::shared_ptr<Graph> copied = graph->copy();
  const GraphCopy copy(*graph, *copied);
  Node* relu = *copied->nodes().begin();
  copied->create(c10::aten::tanh, {copied->inputs()[0]})->insertBefore(relu);
  EXPECT_EQ(copy.Of(*graph->nodes().begin()), relu);
}

}  // namespace
}  // namespace ns
