#include "ir/text/text.h"

#include <torch/csrc/jit/ir/ir.h>

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(ParseGraphTest, ParsesOpsAndReturns) {
  const auto graph = GraphOf(R"IR(
graph(%x : Tensor):
  %y : Tensor = aten::relu(%x)
  return (%y))IR");
  EXPECT_EQ(graph->inputs().size(), 1);
  EXPECT_EQ(NodesOf(*graph, "aten::relu").size(), 1);
  EXPECT_EQ(graph->outputs()[0], NodeOf(*graph, "aten::relu")->output());
}

TEST(ParseGraphTest, RefusesTextThatIsNoGraph) {
  const auto graph = ParseGraph("module(%x):");
  EXPECT_EQ(graph.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(MessageOf(graph), HasSubstr("IR text: "));
}

TEST(ParseGraphTest, RefusesUndefinedValueWithOneLine) {
  const auto graph = ParseGraph("graph(%x : Tensor):\n  return (%y)");
  ASSERT_FALSE(graph.ok());
  EXPECT_THAT(MessageOf(graph), Not(HasSubstr("\n")));
}

TEST(ParseGraphTest, RefusesASecondGraph) {
  constexpr char kGraph[] = "graph(%x : Tensor):\n  return (%x)\n";
  NS_EXPECT_OK(ParseGraph(kGraph).status());
  EXPECT_THAT(MessageOf(ParseGraph(std::string(kGraph) + kGraph)),
              HasSubstr("goes on after the graph's return"));
}

TEST(ParseGraphTest, RefusesValuesThatAreDefinedTwice) {
  for (const char* lines :
       {"  %y : Tensor = aten::relu(%x)\n  %y : Tensor = aten::relu(%x)\n",
        "  %x : Tensor = aten::relu(%x)\n",
        "  %y : (Tensor, Tensor), %y : Tensor = foo::bar(%x)\n",
        "  %y : Tensor = prim::Loop(%n, %p, %x)\n"
        "    block0(%i : int, %x : Tensor):\n"
        "      -> (%p, %x)\n"}) {
    const auto graph =
        ParseGraph(std::string("graph(%x : Tensor, %n : int, %p : bool):\n") +
                   lines + "  return (%x)\n");
    EXPECT_THAT(MessageOf(graph), HasSubstr("twice")) << lines;
  }
  EXPECT_THAT(MessageOf(ParseGraph("graph(%x : Tensor, %x : Tensor):\n"
                                   "  return (%x)\n")),
              HasSubstr("defines %x twice"));
}

TEST(ParseGraphTest, BlocksOfOneNodeMayUseTheSameNames) {
  NS_EXPECT_OK(ParseGraph(R"IR(
graph(%x : Tensor, %x.1 : Tensor, %p : bool):
  %y : Tensor = prim::If(%p)
    block0():
      %z : Tensor = aten::relu(%x)
      -> (%z)
    block1():
      %z : Tensor = aten::tanh(%x)
      -> (%z)
  %z : Tensor = aten::neg(%y)
  return (%z))IR")
                   .status());
}

TEST(ParseGraphTest, RefusesTextThatNestsTooDeep) {
  EXPECT_THAT(MessageOf(ParseGraph("graph" + std::string(20'000, '('))),
              HasSubstr("nests more than"));
}

TEST(ParseGraphTest, RefusesEmptyText) { EXPECT_FALSE(ParseGraph("").ok()); }

TEST(CanonicalTextTest, IgnoresNamesOfValues) {
  EXPECT_EQ(CanonicalText(GraphOf(R"IR(
graph(%x : Tensor):
  %y : Tensor = aten::relu(%x)
  return (%y))IR")),
            CanonicalText(GraphOf(R"IR(
graph(%input : Tensor):
  %result : Tensor = aten::relu(%input)
  return (%result))IR")));
}

TEST(CanonicalTextTest, TellsOpsApart) {
  EXPECT_NE(CanonicalText(GraphOf(R"IR(
graph(%x : Tensor):
  %y : Tensor = aten::relu(%x)
  return (%y))IR")),
            CanonicalText(GraphOf(R"IR(
graph(%x : Tensor):
  %y : Tensor = aten::relu_(%x)
  return (%y))IR")));
}

TEST(CanonicalTextTest, ParsesAgain) {
  const auto graph = GraphOf(R"IR(
graph(%x : Tensor, %flag : bool):
  %two : int = prim::Constant[value=2]()
  %y : Tensor = prim::If(%flag)
    block0():
      %z : Tensor = aten::add(%x, %x, %two)
      -> (%z)
    block1():
      -> (%x)
  return (%y))IR");
  ExpectIr(graph, CanonicalText(graph));
}

TEST(CanonicalTextTest, LeavesGraphAsItWas) {
  const auto graph = GraphOf(R"IR(
graph(%x : Tensor):
  %y : Tensor = aten::relu(%x)
  return (%y))IR");
  const std::string before = graph->toString();
  CanonicalText(graph);
  EXPECT_EQ(graph->toString(), before);
}

}  // namespace
}  // namespace ns
