#include "ir/flatten/follow_writes.h"

#include <torch/csrc/jit/ir/ir.h>

#include <string>

#include "gtest/gtest.h"
#include "tests/testing/named_graph.h"

namespace ns {
namespace {

// %w1, %w2, ... write to %a; the last input of each %r is it or one of them.
constexpr char kWrites[] = R"IR(
graph(%x : Tensor, %s : float, %n : int, %p : bool):
  %a : Tensor = aten::sin(%x)
  %r1 : Tensor = aten::cos(%a)
  %w1 : Tensor = aten::mul_(%a, %s)
  %r2 : Tensor = aten::cos(%a)
  %y : Tensor = prim::Loop(%n, %p, %a)
    block0(%i : int, %v : Tensor):
      %r3 : Tensor = aten::cos(%a)
      %w2 : Tensor = aten::relu_(%a)
      %r4 : Tensor = aten::cos(%a)
      %c : Tensor = prim::If(%p)
        block0():
          %w3 : Tensor = aten::tanh_(%a)
          -> (%a)
        block1():
          %r5 : Tensor = aten::cos(%a)
          -> (%r5)
      %r6 : Tensor = aten::cos(%a)
      -> (%p, %a)
  %r7 : Tensor = aten::cos(%a)
  %u : Tensor = aten::select(%a, %n, %n)
  %w4 : Tensor = aten::mul_(%u, %s)
  %r8 : Tensor = aten::cos(%a)
  return (%a))IR";

class FollowWritesTest : public testing::Test {
 protected:
  FollowWritesTest() { FollowWrites(*graph_); }

  // What the op that gives `name` reads now.
  std::string ReadBy(const char* name) const {
    return graph_.NameOf(*graph_.Named(name)->node()->input(0)->node());
  }

  const NamedGraph graph_{kWrites};
};

TEST_F(FollowWritesTest, ResultIsUsedBehindTheOp) {
  EXPECT_EQ(ReadBy("r1"), "a");
  EXPECT_EQ(ReadBy("w1"), "a");
  EXPECT_EQ(ReadBy("r2"), "w1");
  EXPECT_EQ(ReadBy("r7"), "w1");
  EXPECT_EQ(graph_->outputs()[0], graph_.Named("w1"));
  EXPECT_EQ(graph_.Named("y")->node()->input(2), graph_.Named("w1"));
}

TEST_F(FollowWritesTest, ResultIsUsedInItsBlockOnly) {
  EXPECT_EQ(ReadBy("r3"), "w1");
  EXPECT_EQ(ReadBy("w2"), "w1");
  EXPECT_EQ(ReadBy("r4"), "w2");
  EXPECT_EQ(ReadBy("w3"), "w2");
  EXPECT_EQ(ReadBy("r5"), "w2");
  EXPECT_EQ(ReadBy("r6"), "w2");
  const auto arms = graph_.Named("c")->node()->blocks();
  EXPECT_EQ(arms[0]->outputs()[0], graph_.Named("w3"));
  const auto body = graph_.Named("y")->node()->blocks()[0];
  EXPECT_EQ(body->outputs()[1], graph_.Named("w2"));
}

TEST_F(FollowWritesTest, WritesToViewsAreNotFollowed) {
  EXPECT_EQ(ReadBy("r8"), "w1");
}

}  // namespace
}  // namespace ns
