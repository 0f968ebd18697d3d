#include "passes/analysis/subgraph.h"

#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/named_graph.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::torch::jit::Node;
using ::torch::jit::Value;

// The subgraph from the op of value `start` to that of `end`.
Subgraph Chain(const NamedGraph& graph, const std::string& start,
               const std::string& base, const std::string& end) {
  Subgraph subgraph;
  subgraph.start = graph.Named(start)->node();
  subgraph.base = graph.Named(base)->node();
  subgraph.end = graph.Named(end)->node();
  return subgraph;
}

TEST(DataInputsOfTest, AreThoseOfTheFirstNode) {
  const NamedGraph graph(R"IR(
graph(%q : Tensor, %w : Tensor):
  %d : Tensor = aten::dequantize(%q)
  %y : Tensor = aten::linear(%d, %w, %w)
  %r : Tensor = aten::relu(%y)
  return (%r))IR");
  EXPECT_THAT(DataInputsOf(Chain(graph, "d", "y", "r")),
              ElementsAre(graph.Named("q")));
}

TEST(DataInputsOfTest, ElementsOfAListComeInOrder) {
  const NamedGraph graph(R"IR(
graph(%x : Tensor, %y : Tensor, %dim : int):
  %list : Tensor[] = prim::ListConstruct(%y, %x, %y)
  %c : Tensor = aten::cat(%list, %dim)
  return (%c))IR");
  EXPECT_THAT(
      DataInputsOf(Chain(graph, "c", "c", "c")),
      ElementsAre(graph.Named("y"), graph.Named("x"), graph.Named("y")));
}

TEST(DataInputsOfTest, OpsThatMakeTensorsHaveNone) {
  const NamedGraph graph(R"IR(
graph(%sizes : int[]):
  %none : NoneType = prim::Constant()
  %z : Tensor = aten::zeros(%sizes, %none, %none, %none, %none)
  return (%z))IR");
  EXPECT_THAT(DataInputsOf(Chain(graph, "z", "z", "z")), IsEmpty());
}

TEST(DataInputsOfTest, OfAnIfAreTheValuesBehindTheReshapesOfItsArm) {
  const NamedGraph graph(R"IR(
graph(%x : Tensor, %y : Tensor, %p : bool):
  %zero : int = prim::Constant[value=0]()
  %a : Tensor = aten::tanh(%x)
  %r : Tensor = prim::If(%p)
    block0():
      %u : Tensor = aten::unsqueeze(%a, %zero)
      %v : Tensor = aten::unsqueeze(%u, %zero)
      %m : Tensor = aten::mul(%v, %y)
      -> (%m)
    block1():
      %n : Tensor = aten::mul(%a, %y)
      -> (%n)
  return (%r))IR");
  EXPECT_THAT(DataInputsOf(Chain(graph, "r", "m", "r")),
              ElementsAre(graph.Named("a"), graph.Named("y")));
}

// What is made further out is not what goes into the prim::If, but it is what
// the values there are.
constexpr char kInALoop[] = R"IR(
graph(%x : Tensor, %p : bool, %n : int):
  %zero : int = prim::Constant[value=0]()
  %yes : bool = prim::Constant[value=1]()
  %a : Tensor = aten::tanh(%x)
  %l : Tensor = prim::Loop(%n, %yes, %x)
    block0(%i : int, %carried : Tensor):
      %r : Tensor = prim::If(%p)
        block0():
          %u : Tensor = aten::unsqueeze(%a, %zero)
          %m : Tensor = aten::mul(%u, %carried)
          -> (%m)
        block1():
          %k : Tensor = aten::mul(%a, %carried)
          -> (%k)
      -> (%yes, %r)
  return (%l))IR";

TEST(DataInputsOfTest, OfAnIfInALoopMayComeFromFurtherOut) {
  const NamedGraph graph(kInALoop);
  EXPECT_THAT(DataInputsOf(Chain(graph, "r", "m", "r")),
              ElementsAre(graph.Named("a"), graph.Named("carried")));
}

TEST(DataInputsOfTest, OfALoopInAnIfMayComeFromFurtherOut) {
  const NamedGraph graph(R"IR(
graph(%x : Tensor, %p : bool, %n : int):
  %yes : bool = prim::Constant[value=1]()
  %a : Tensor = aten::tanh(%x)
  %r : Tensor = prim::If(%p)
    block0():
      %l : Tensor = prim::Loop(%n, %yes, %a)
        block0(%i : int, %carried : Tensor):
          %s : Tensor = aten::sigmoid(%carried)
          -> (%yes, %s)
      -> (%l)
    block1():
      -> (%x)
  return (%r))IR");
  EXPECT_THAT(DataInputsOf(Chain(graph, "l", "l", "l")),
              ElementsAre(graph.Named("a")));
}

TEST(DataInputsOfTest, ChoicesInsideTheArmAreFollowed) {
  const NamedGraph graph(R"IR(
graph(%x : Tensor, %p : bool, %o : bool):
  %zero : int = prim::Constant[value=0]()
  %r : Tensor = prim::If(%p)
    block0():
      %k : int, %c : Tensor = prim::If(%o)
        block0():
          %u : Tensor = aten::unsqueeze(%x, %zero)
          -> (%zero, %u)
        block1():
          -> (%zero, %x)
      %t : Tensor = aten::tanh(%c)
      -> (%t)
    block1():
      %s : Tensor = aten::tanh(%x)
      -> (%s)
  return (%r))IR");
  EXPECT_THAT(DataInputsOf(Chain(graph, "r", "t", "r")),
              ElementsAre(graph.Named("x")));
}

TEST(DataInputsOfTest, OfAnIfAreThoseOfAllArms) {
  const NamedGraph graph(R"IR(
graph(%x : Tensor, %y : Tensor, %z : Tensor, %p : bool, %o : bool):
  %zero : int = prim::Constant[value=0]()
  %r : Tensor = prim::If(%p)
    block0():
      %m : Tensor = aten::mul(%x, %y)
      -> (%m)
    block1():
      %i : Tensor = prim::If(%o)
        block0():
          %n : Tensor = aten::mul(%y, %x)
          -> (%n)
        block1():
          %u : Tensor = aten::unsqueeze(%z, %zero)
          %k : Tensor = aten::mul(%u, %u)
          -> (%k)
      -> (%i)
  return (%r))IR");
  EXPECT_THAT(
      DataInputsOf(Chain(graph, "r", "m", "r")),
      ElementsAre(graph.Named("x"), graph.Named("y"), graph.Named("z")));
}

TEST(DataInputsOfTest, OfAnIfHaveWhatIsDequantizedOnce) {
  const NamedGraph graph(R"IR(
graph(%x : Tensor, %p : bool):
  %zero : int = prim::Constant[value=0]()
  %d : Tensor = aten::dequantize(%x)
  %r : Tensor = prim::If(%p)
    block0():
      %s : Tensor = aten::sigmoid(%d)
      -> (%s)
    block1():
      %u : Tensor = aten::unsqueeze(%x, %zero)
      %v : Tensor = aten::dequantize(%u)
      %t : Tensor = aten::sigmoid(%v)
      -> (%t)
  return (%r))IR");
  EXPECT_THAT(DataInputsOf(Chain(graph, "r", "s", "r")),
              ElementsAre(graph.Named("d")));
}

TEST(DataInputsOfTest, OfAChoiceInsideTheArmAreBothItsValues) {
  const NamedGraph graph(R"IR(
graph(%x : Tensor, %y : Tensor, %z : Tensor, %p : bool, %o : bool):
  %r : Tensor = prim::If(%p)
    block0():
      %c : Tensor = prim::If(%o)
        block0():
          -> (%x)
        block1():
          -> (%z)
      %m : Tensor = aten::mul(%c, %y)
      -> (%m)
    block1():
      %n : Tensor = aten::mul(%x, %y)
      -> (%n)
  return (%r))IR");
  EXPECT_THAT(
      DataInputsOf(Chain(graph, "r", "m", "r")),
      ElementsAre(graph.Named("x"), graph.Named("y"), graph.Named("z")));
}

TEST(DataInputsOfTest, ControlFlowThatIsItsOwnBaseHasItsOwnInputs) {
  const NamedGraph graph(kInALoop);
  EXPECT_THAT(DataInputsOf(Chain(graph, "l", "l", "l")),
              ElementsAre(graph.Named("x")));
}

// Each choice doubles the ways from the op to the values outside.
TEST(DataInputsOfTest, ManyChoicesInARowAreFollowedOnce) {
  std::string text = R"IR(
graph(%x : Tensor, %y : Tensor, %p : bool):
  %r : Tensor = prim::If(%p)
    block0():
      %c0 : Tensor, %d0 : Tensor = prim::If(%p)
        block0():
          -> (%x, %y)
        block1():
          -> (%y, %x))IR";
  for (int i = 1; i < 40; ++i) {
    const std::string before = std::to_string(i - 1);
    const std::string now = std::to_string(i);
    text += "\n      %c" + now + " : Tensor, %d" + now +
            " : Tensor = prim::If(%p)\n        block0():\n          -> (%c" +
            before + ", %d" + before +
            ")\n        block1():\n          -> (%d" + before + ", %c" +
            before + ")";
  }
  const NamedGraph graph(text + R"IR(
      %t : Tensor = aten::tanh(%c39)
      -> (%t)
    block1():
      %s : Tensor = aten::tanh(%x)
      -> (%s)
  return (%r))IR");
  EXPECT_THAT(DataInputsOf(Chain(graph, "r", "t", "r")),
              ElementsAre(graph.Named("x"), graph.Named("y")));
}

TEST(OpOfTest, IsTheOpOfTheBase) {
  const NamedGraph graph(R"IR(
graph(%x : Tensor, %w : Tensor, %p : bool):
  %y : Tensor = aten::linear(%x, %w, %w)
  %r : Tensor = aten::relu_(%y)
  %t : Tensor = prim::If(%p)
    block0():
      %a : Tensor = aten::tanh(%x)
      -> (%a)
    block1():
      %b : Tensor = aten::tanh(%r)
      -> (%b)
  return (%t))IR");
  EXPECT_EQ(OpOf(Chain(graph, "y", "y", "r")), "aten::linear");
  EXPECT_EQ(OpOf(Chain(graph, "r", "r", "r")), "aten::relu_");
  EXPECT_EQ(OpOf(Chain(graph, "t", "a", "t")), "aten::tanh");
}

// The op of a prim::If that chooses between `first`, in its first arm, and the
// others.
std::string OpOfIf(const std::string& first, const std::string& second,
                   const std::string& third) {
  const auto call = [](const std::string& op) {
    return " : Tensor = aten::" + op + "(%x, %size, %factors)\n";
  };
  const NamedGraph graph(
      "graph(%x : Tensor, %size : int[], %factors : float[], %p : bool):\n"
      "  %r : Tensor = prim::If(%p)\n"
      "    block0():\n"
      "      %a" +
      call(first) +
      "      -> (%a)\n"
      "    block1():\n"
      "      %i : Tensor = prim::If(%p)\n"
      "        block0():\n"
      "          %b" +
      call(second) +
      "          -> (%b)\n"
      "        block1():\n"
      "          %c" +
      call(third) +
      "          -> (%c)\n"
      "      -> (%i)\n"
      "  return (%r)");
  return OpOf(Chain(graph, "r", "a", "r"));
}

TEST(OpOfTest, IsWhatTheNamesOfTheArmsHaveInCommon) {
  EXPECT_EQ(
      OpOfIf("upsample_nearest1d", "upsample_nearest2d", "upsample_nearest3d"),
      "aten::upsample_nearest");
  EXPECT_EQ(
      OpOfIf("upsample_nearest2d", "upsample_nearest2d", "upsample_nearest2d"),
      "aten::upsample_nearest2d");
  EXPECT_EQ(OpOfIf("upsample_nearest2d", "_upsample_nearest_exact2d", "relu"),
            "aten::upsample_nearest2d");
}

TEST(OpOfTest, EndsWithAWholeWord) {
  EXPECT_EQ(OpOfIf("upsample_bilinear2d", "upsample_bicubic2d", "relu"),
            "aten::upsample");
}

}  // namespace
}  // namespace ns
