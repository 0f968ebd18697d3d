#include "ir/control_flow.h"

#include "gtest/gtest.h"
#include "tests/testing/ir.h"

namespace ns {
namespace {

TEST(ControlFlowTest, IsInLoopAtAnyDepth) {
  const auto graph = GraphOf(R"IR(
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
  return (%e))IR");
  EXPECT_FALSE(IsInLoop(*NodeOf(*graph, "aten::relu")));
  EXPECT_FALSE(IsInLoop(*NodeOf(*graph, "aten::tanh")));
  EXPECT_FALSE(IsInLoop(*NodeOf(*graph, "prim::Loop")));
  EXPECT_TRUE(IsInLoop(*NodeOf(*graph, "aten::sigmoid")));
  EXPECT_TRUE(IsInLoop(*NodeOf(*graph, "aten::neg")));
}

}  // namespace
}  // namespace ns
