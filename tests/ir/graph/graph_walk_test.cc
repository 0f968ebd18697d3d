#include "ir/graph/graph_walk.h"

#include <torch/csrc/jit/ir/ir.h>

#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/ir.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::torch::jit::Block;
using ::torch::jit::Node;

constexpr char kNested[] = R"IR(
graph(%x : Tensor, %p : bool):
  %a : Tensor = aten::relu(%x)
  %y : Tensor = prim::If(%p)
    block0():
      %b : Tensor = aten::tanh(%a)
      -> (%b)
    block1():
      %z : Tensor = prim::If(%p)
        block0():
          %c : Tensor = aten::sigmoid(%a)
          -> (%c)
        block1():
          -> (%a)
      -> (%z)
  return (%y))IR";

class GraphWalkTest : public testing::Test {
 protected:
  void Note(const Node* node) { ops_.push_back(node->kind().toUnqualString()); }

  const std::shared_ptr<torch::jit::Graph> graph_ = GraphOf(kNested);
  std::vector<std::string> ops_;
};

TEST_F(GraphWalkTest, VisitsInTheOrderOfTheText) {
  ForEachNode(graph_->block(), [&](Node* node) { Note(node); });
  EXPECT_THAT(ops_, ElementsAre("relu", "If", "tanh", "If", "sigmoid"));
}

TEST_F(GraphWalkTest, VisitsNodesOfAConstBlock) {
  const Block* block = graph_->block();
  ForEachNode(block, [&](const Node* node) { Note(node); });
  EXPECT_EQ(ops_.size(), 5);
}

TEST_F(GraphWalkTest, InnermostFirstMayDestroyWhatItVisits) {
  ForEachNodeInnermostFirst(graph_->block(), [&](Node* node) {
    Note(node);
    if (node->outputs().size() == 1) {
      node->output()->replaceAllUsesWith(graph_->inputs()[0]);
      node->destroy();
    }
  });
  EXPECT_THAT(ops_, ElementsAre("relu", "tanh", "sigmoid", "If", "If"));
  EXPECT_EQ(AllNodes(*graph_).size(), 0);
}

TEST_F(GraphWalkTest, AnyNodeAsksNoneBehindTheFirst) {
  EXPECT_TRUE(AnyNode(graph_->block(), [&](const Node* node) {
    Note(node);
    return node->kind() == c10::aten::tanh;
  }));
  EXPECT_THAT(ops_, ElementsAre("relu", "If", "tanh"));
  EXPECT_FALSE(AnyNode(graph_->block(), [](const Node*) { return false; }));
}

}  // namespace
}  // namespace ns
