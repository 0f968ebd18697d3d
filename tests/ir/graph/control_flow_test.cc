#include "ir/graph/control_flow.h"

#include <torch/csrc/jit/ir/ir.h>

#include "gtest/gtest.h"
#include "tests/testing/ir.h"

namespace ns {
namespace {

constexpr char kNested[] = R"IR(
graph(%x : Tensor, %n : int, %c : bool):
  %a : Tensor = aten::relu(%x)
  %b : Tensor = prim::If(%c)
    block0():
      %d : Tensor = aten::tanh(%a)
      -> (%d)
    block1():
      -> (%a)
  %e : Tensor = prim::Loop(%n, %c, %b)
    block0(%i : int, %f : Tensor):
      %g : Tensor = aten::sigmoid(%f)
      %h : Tensor = prim::If(%c)
        block0():
          %j : Tensor = aten::neg(%g)
          -> (%j)
        block1():
          -> (%g)
      -> (%c, %h)
  return (%e))IR";

TEST(ControlFlowTest, IsInLoopAtAnyDepth) {
  const auto graph = GraphOf(kNested);
  EXPECT_FALSE(IsInLoop(*NodeOf(*graph, "aten::relu")));
  EXPECT_FALSE(IsInLoop(*NodeOf(*graph, "aten::tanh")));
  EXPECT_FALSE(IsInLoop(*NodeOf(*graph, "prim::Loop")));
  EXPECT_TRUE(IsInLoop(*NodeOf(*graph, "aten::sigmoid")));
  EXPECT_TRUE(IsInLoop(*NodeOf(*graph, "aten::neg")));
}

TEST(ControlFlowTest, NodesAreWithinAllBlocksAround) {
  const auto graph = GraphOf(kNested);
  const torch::jit::Node& loop = *NodeOf(*graph, "prim::Loop");
  const torch::jit::Node& neg = *NodeOf(*graph, "aten::neg");
  const torch::jit::Node& choice = *neg.owningBlock()->owningNode();
  EXPECT_TRUE(IsWithin(neg, *graph->block()));
  EXPECT_TRUE(IsWithin(neg, *loop.blocks()[0]));
  EXPECT_TRUE(IsWithin(neg, *choice.blocks()[0]));
  EXPECT_FALSE(IsWithin(neg, *choice.blocks()[1]));
  EXPECT_FALSE(IsWithin(loop, *loop.blocks()[0]));
  EXPECT_TRUE(IsWithin(loop, *graph->block()));
}

TEST(ControlFlowTest, NodesAreInsideAllControlFlowAround) {
  const auto graph = GraphOf(kNested);
  const torch::jit::Node& loop = *NodeOf(*graph, "prim::Loop");
  const torch::jit::Node& neg = *NodeOf(*graph, "aten::neg");
  const torch::jit::Node& choice = *neg.owningBlock()->owningNode();
  EXPECT_TRUE(IsInside(neg, loop));
  EXPECT_TRUE(IsInside(neg, choice));
  EXPECT_TRUE(IsInside(choice, loop));
  EXPECT_FALSE(IsInside(choice, choice));
  EXPECT_FALSE(IsInside(loop, choice));
  EXPECT_FALSE(IsInside(*NodeOf(*graph, "aten::tanh"), loop));
}

}  // namespace
}  // namespace ns
