#include "ir/graph/uses_behind.h"

#include <torch/csrc/jit/ir/ir.h>

#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/named_graph.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;
using ::torch::jit::Use;

constexpr char kGraph[] = R"IR(
graph(%x : Tensor, %p : bool):
  %zero : int = prim::Constant[value=0]()
  %a : Tensor = aten::relu(%x)
  %b : Tensor = aten::neg(%a)
  %c : Tensor = aten::relu(%a)
  %d : Tensor = aten::tanh(%c)
  %e : Tensor = aten::mul(%c, %b)
  %f : Tensor = prim::If(%p)
    block0():
      %g : Tensor = aten::sigmoid(%c)
      -> (%g)
    block1():
      -> (%x)
  return (%d, %e, %f))IR";

std::string OpOf(const Use& use) { return use.user->kind().toUnqualString(); }

// The ops of the uses behind %`name` where `hands_on` does.
std::vector<std::string> OpsBehind(const NamedGraph& graph,
                                   const std::string& name,
                                   const std::string& hands_on) {
  std::vector<std::string> seen;
  EXPECT_FALSE(HasUseBehind(
      *graph.Named(name), [&](const Use& use) { return OpOf(use) == hands_on; },
      [&](const Use& use) {
        seen.push_back(OpOf(use));
        return false;
      }));
  return seen;
}

TEST(UsesBehindTest, FollowsWhatHandsOn) {
  const NamedGraph graph(kGraph);
  EXPECT_THAT(OpsBehind(graph, "x", "relu"),
              UnorderedElementsAre("relu", "Return", "Return", "neg", "relu",
                                   "tanh", "mul", "sigmoid"));
}

// Each use is seen once, though two ways lead to the product.
TEST(UsesBehindTest, SeesEachUseOnce) {
  const NamedGraph graph(kGraph);
  std::vector<std::string> seen;
  EXPECT_FALSE(HasUseBehind(
      *graph.Named("a"), [](const Use&) { return true; },
      [&](const Use& use) {
        seen.push_back(OpOf(use));
        return false;
      }));
  EXPECT_THAT(
      seen, UnorderedElementsAre("neg", "relu", "mul", "tanh", "mul", "sigmoid",
                                 "Return", "Return", "Return", "Return"));
  EXPECT_THAT(OpsBehind(graph, "p", ""), ElementsAre("If"));
}

TEST(UsesBehindTest, FollowsLoopsFromTripToTripAndOut) {
  const NamedGraph graph(R"IR(
graph(%x : Tensor, %n : int):
  %yes : bool = prim::Constant[value=1]()
  %y : Tensor = prim::Loop(%n, %yes, %x)
    block0(%i : int, %v : Tensor):
      %w : Tensor = aten::relu(%v)
      -> (%yes, %w)
  %z : Tensor = aten::tanh(%y)
  return (%z))IR");
  EXPECT_THAT(OpsBehind(graph, "x", "neg"),
              UnorderedElementsAre("Loop", "relu", "tanh"));
  EXPECT_THAT(OpsBehind(graph, "w", "neg"),
              UnorderedElementsAre("Return", "relu", "tanh"));
}

TEST(UsesBehindTest, TellsElementsOfTuplesAndListsApart) {
  const NamedGraph graph(R"IR(
graph(%x : Tensor, %y : Tensor):
  %one : int = prim::Constant[value=1]()
  %pair : (Tensor, Tensor) = prim::TupleConstruct(%x, %y)
  %a : Tensor, %b : Tensor = prim::TupleUnpack(%pair)
  %c : Tensor = prim::TupleIndex(%pair, %one)
  %both : Tensor[] = prim::ListConstruct(%x, %y)
  %d : Tensor = aten::__getitem__(%both, %one)
  %e : Tensor = aten::relu(%a)
  %f : Tensor = aten::tanh(%b)
  %g : Tensor = aten::sigmoid(%c)
  %h : Tensor = aten::neg(%d)
  return (%e, %f, %g, %h))IR");
  EXPECT_THAT(
      OpsBehind(graph, "x", "exp"),
      UnorderedElementsAre("TupleConstruct", "TupleUnpack", "TupleIndex",
                           "ListConstruct", "__getitem__", "relu"));
  EXPECT_THAT(OpsBehind(graph, "y", "exp"),
              UnorderedElementsAre("TupleConstruct", "TupleUnpack",
                                   "TupleIndex", "ListConstruct", "__getitem__",
                                   "tanh", "sigmoid", "neg"));
}

TEST(UsesBehindTest, FollowsListsThatGrowAndDicts) {
  const NamedGraph graph(R"IR(
graph(%x : Tensor, %y : Tensor, %i : int, %key : str):
  %all : Tensor[] = prim::ListConstruct(%y)
  %grown : Tensor[] = aten::append(%all, %x)
  %a : Tensor = aten::__getitem__(%all, %i)
  %b : Tensor = aten::relu(%a)
  %dict : Dict(str, Tensor) = prim::DictConstruct(%key, %x)
  %c : Tensor = aten::__getitem__(%dict, %key)
  %d : Tensor = aten::tanh(%c)
  return (%b, %d))IR");
  EXPECT_THAT(OpsBehind(graph, "x", "exp"),
              UnorderedElementsAre("append", "__getitem__", "append", "relu",
                                   "DictConstruct", "__getitem__", "tanh"));
}

TEST(UsesBehindTest, FollowsOptionalsAndAttributes) {
  const NamedGraph graph(R"IR(
graph(%self, %x : Tensor?):
  %a : Tensor = prim::unchecked_cast(%x)
  %b : Tensor = aten::relu(%a)
  prim::SetAttr[name="mask"](%self, %a)
  %c : Tensor = prim::GetAttr[name="mask"](%self)
  %d : Tensor = prim::GetAttr[name="other"](%self)
  %e : Tensor = aten::tanh(%c)
  %f : Tensor = aten::neg(%d)
  return (%b, %e, %f))IR");
  EXPECT_THAT(
      OpsBehind(graph, "x", "exp"),
      UnorderedElementsAre("unchecked_cast", "relu", "SetAttr", "tanh"));
}

TEST(UsesBehindTest, FollowsWritesInPlaceToWhatIsWritten) {
  const NamedGraph graph(R"IR(
graph(%x : Tensor, %m : Tensor, %i : int):
  %one : int = prim::Constant[value=1]()
  %row : Tensor = aten::select(%x, %one, %i)
  %sum : Tensor = aten::add_(%row, %m, %one)
  %y : Tensor = aten::tanh(%x)
  %z : Tensor = aten::sigmoid_(%x)
  %r : Tensor = aten::neg(%z)
  return (%y, %r))IR");
  EXPECT_THAT(
      OpsBehind(graph, "m", "add_"),
      UnorderedElementsAre("add_", "add_", "select", "tanh", "sigmoid_"));
}

TEST(UsesBehindTest, EndsWhereSomethingIsFound) {
  const NamedGraph graph(kGraph);
  std::vector<std::string> asked;
  EXPECT_TRUE(HasUseBehind(
      *graph.Named("a"),
      [&](const Use& use) {
        asked.push_back(OpOf(use));
        return true;
      },
      [](const Use& use) { return OpOf(use) == "relu"; }));
  EXPECT_THAT(asked, ElementsAre("neg"));
}

// A chain of `length` sums, from %v0 on, each of which hands on.
std::shared_ptr<torch::jit::Graph> ChainOfSums(int length) {
  auto graph = std::make_shared<torch::jit::Graph>();
  torch::jit::Value* value = graph->addInput("x");
  for (int i = 0; i < length; ++i) {
    value = graph->insert(c10::aten::add, {value, value});
  }
  graph->registerOutput(value);
  return graph;
}

TEST(UseSearchTest, VisitsNothingTwiceInVain) {
  constexpr int kLength = 1000;
  const auto graph = ChainOfSums(kLength);
  const auto hands_on = [](const Use&) { return true; };
  const auto found = [](const Use& use) { return OpOf(use) == "softmax"; };
  UseSearch search(hands_on, found);
  for (const torch::jit::Node* node : graph->nodes()) {
    for (const torch::jit::Value* output : node->outputs()) {
      EXPECT_FALSE(search.Find(*output));
    }
  }
  // Each sum has two uses; a search from each of them visits 1,000,000.
  EXPECT_LE(search.visited(), 4 * kLength);
}

TEST(UseSearchTest, FindsWhatOneSearchFinds) {
  const NamedGraph graph(kGraph);
  for (const char* op : {"neg", "tanh", "mul", "sigmoid", "softmax"}) {
    const auto hands_on = [](const Use& use) { return OpOf(use) == "relu"; };
    const auto found = [&](const Use& use) { return OpOf(use) == op; };
    UseSearch search(hands_on, found);
    for (const char* name : {"e", "d", "c", "b", "a", "x", "p", "f"}) {
      EXPECT_EQ(search.Find(*graph.Named(name)).has_value(),
                HasUseBehind(*graph.Named(name), hands_on, found))
          << op << ' ' << name;
    }
  }
}

}  // namespace
}  // namespace ns
