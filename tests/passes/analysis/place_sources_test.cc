#include "passes/analysis/place_sources.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/analysis/subgraph.h"
#include "tests/testing/ir.h"
#include "tests/testing/modules.h"
#include "tests/testing/named_graph.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// The sources of the ops that make the values `names`; what is compared at each
// is that value.
class Sources {
 public:
  Sources(const char* text, const std::vector<std::string>& names)
      : graph_(text), names_(names) {
    for (const std::string& name : names) {
      torch::jit::Node* node = graph_.Named(name)->node();
      subgraphs_.push_back({node, node, node, {node}});
    }
    std::vector<Place> places;
    for (size_t i = 0; i < names.size(); ++i) {
      places.push_back({&subgraphs_[i], graph_.Named(names[i])});
    }
    sources_ = SourcesOfPlaces(*graph_, places);
  }

  // The names of the places that feed `name`.
  std::vector<std::string> Of(const std::string& name) const {
    std::vector<std::string> names;
    for (const size_t place : At(name).places) {
      names.push_back(names_[place]);
    }
    return names;
  }

  bool AreCompared(const std::string& name) const {
    return At(name).are_compared;
  }

 private:
  const PlaceSources& At(const std::string& name) const {
    return sources_.at(static_cast<size_t>(
        std::find(names_.begin(), names_.end(), name) - names_.begin()));
  }

  const NamedGraph graph_;
  const std::vector<std::string> names_;
  std::vector<Subgraph> subgraphs_;
  std::vector<PlaceSources> sources_;
};

TEST(SourcesOfPlacesTest, OpsOfNoPlaceAreFollowedAndPlacesEndTheWay) {
  const Sources sources(R"IR(
graph(%x : Tensor):
  %a : Tensor = aten::relu(%x)
  %n : Tensor = aten::neg(%a)
  %b : Tensor = aten::tanh(%n)
  %c : Tensor = aten::sigmoid(%b)
  return (%c))IR",
                        {"a", "b", "c"});
  EXPECT_THAT(sources.Of("a"), IsEmpty());
  EXPECT_TRUE(sources.AreCompared("a"));
  EXPECT_THAT(sources.Of("b"), ElementsAre("a"));
  EXPECT_FALSE(sources.AreCompared("b"));
  EXPECT_THAT(sources.Of("c"), ElementsAre("b"));
  EXPECT_TRUE(sources.AreCompared("c"));
}

TEST(SourcesOfPlacesTest, OpsThatOnlyMoveOrCastHandOnWhatIsCompared) {
  const Sources sources(R"IR(
graph(%x : Tensor, %n : int, %p : float):
  %no : bool = prim::Constant[value=0]()
  %a : Tensor = aten::relu(%x)
  %f : Tensor = aten::flatten(%a, %n, %n)
  %t : Tensor = aten::dropout(%f, %p, %no)
  %d : Tensor = aten::dequantize(%t)
  %b : Tensor = aten::tanh(%d)
  return (%b))IR",
                        {"a", "b"});
  EXPECT_THAT(sources.Of("b"), ElementsAre("a"));
  EXPECT_TRUE(sources.AreCompared("b"));
}

TEST(SourcesOfPlacesTest, WhatIsMadeOfConstantsIsNoData) {
  const Sources sources(R"IR(
graph(%x : Tensor):
  %one : int = prim::Constant[value=1]()
  %none : NoneType = prim::Constant()
  %w : Tensor = aten::eye(%one, %none, %none, %none, %none)
  %n : Tensor = aten::neg(%w)
  %a : Tensor = aten::relu(%x)
  %b : Tensor = aten::add(%a, %n, %one)
  return (%b))IR",
                        {"a", "b"});
  EXPECT_TRUE(sources.AreCompared("b"));
}

// As a cache of keys: what earlier runs wrote is compared nowhere.
TEST(SourcesOfPlacesTest, AttributesThatTheModelWritesAreNotCompared) {
  const at::Tensor cache = at::zeros({2, 2});
  const torch::jit::Module module =
      MakeModule("Cached", R"(
def forward(self, x: Tensor):
    a = torch.relu(x)
    self.cache[:1] = a
    b = torch.matmul(a, self.cache[:1])
    return torch.mul(b, self.fixed)
)",
                 {{"cache", cache}, {"fixed", cache}});
  torch::jit::Graph& graph = *module.get_method("forward").graph();
  std::vector<Subgraph> subgraphs;
  for (const char* op : {"aten::relu", "aten::matmul", "aten::mul"}) {
    torch::jit::Node* node = NodeOf(graph, op);
    subgraphs.push_back({node, node, node, {node}});
  }
  std::vector<Place> places;
  for (const Subgraph& subgraph : subgraphs) {
    places.push_back({&subgraph, subgraph.end->output()});
  }
  const std::vector<PlaceSources> sources = SourcesOfPlaces(graph, places);
  EXPECT_THAT(sources[1].places, ElementsAre(0));
  EXPECT_FALSE(sources[1].are_compared);
  EXPECT_THAT(sources[2].places, ElementsAre(1));
  EXPECT_TRUE(sources[2].are_compared);
}

TEST(SourcesOfPlacesTest, SizesAndDevicesCarryNoData) {
  const Sources sources(R"IR(
graph(%x : Tensor, %dtype : int):
  %no : bool = prim::Constant[value=0]()
  %none : NoneType = prim::Constant()
  %a : Tensor = aten::relu(%x)
  %s : int[] = aten::size(%a)
  %v : Tensor = aten::view(%x, %s)
  %d : Device = prim::device(%a)
  %t : Tensor = aten::to(%v, %d, %dtype, %no, %no, %none)
  %b : Tensor = aten::tanh(%t)
  return (%b))IR",
                        {"a", "b"});
  EXPECT_THAT(sources.Of("b"), IsEmpty());
}

TEST(SourcesOfPlacesTest, BothArmsAreSourcesInOrderOfThePlaces) {
  const Sources sources(R"IR(
graph(%x : Tensor, %p : bool):
  %r : Tensor, %u : Tensor = prim::If(%p)
    block0():
      %a : Tensor = aten::relu(%x)
      -> (%a, %x)
    block1():
      %b : Tensor = aten::sigmoid(%x)
      -> (%b, %b)
  %c : Tensor = aten::tanh(%r)
  %d : Tensor = aten::tanh(%u)
  return (%c, %d))IR",
                        {"b", "a", "c", "d"});
  EXPECT_THAT(sources.Of("c"), ElementsAre("b", "a"));
  EXPECT_THAT(sources.Of("d"), ElementsAre("b"));
}

// The loop may run no trip at all; and an earlier trip does not count.
TEST(SourcesOfPlacesTest, BehindALoopAreItsInputAndItsBody) {
  const Sources sources(R"IR(
graph(%x : Tensor, %n : int):
  %yes : bool = prim::Constant[value=1]()
  %a : Tensor = aten::relu(%x)
  %l : Tensor = prim::Loop(%n, %yes, %a)
    block0(%i : int, %carried : Tensor):
      %b : Tensor = aten::sigmoid(%carried)
      -> (%yes, %b)
  %c : Tensor = aten::tanh(%l)
  return (%c))IR",
                        {"a", "b", "c"});
  EXPECT_THAT(sources.Of("b"), ElementsAre("a"));
  EXPECT_THAT(sources.Of("c"), ElementsAre("a", "b"));
  // What the trip before has made goes into %b, too.
  EXPECT_FALSE(sources.AreCompared("b"));
  EXPECT_TRUE(sources.AreCompared("c"));
}

TEST(SourcesOfPlacesTest, WhatATripWritesForTheNextIsNotCompared) {
  const Sources sources(R"IR(
graph(%x : Tensor, %n : int):
  %yes : bool = prim::Constant[value=1]()
  %no : bool = prim::Constant[value=0]()
  %a : Tensor = aten::relu(%x)
  %same : Tensor = aten::neg(%a)
  prim::Loop(%n, %yes)
    block0(%i : int):
      %b : Tensor = aten::sigmoid(%same)
      %w : Tensor = aten::copy_(%same, %b, %no)
      %c : Tensor = aten::tanh(%a)
      -> (%yes)
  %d : Tensor = aten::tanh(%a)
  return (%d))IR",
                        {"a", "b", "c", "d"});
  EXPECT_FALSE(sources.AreCompared("b"));
  EXPECT_TRUE(sources.AreCompared("c"));
  EXPECT_TRUE(sources.AreCompared("d"));
}

TEST(SourcesOfPlacesTest, OtherOutputsOfAPlaceAreNotCompared) {
  const Sources sources(R"IR(
graph(%x : Tensor, %dim : int, %keep : bool):
  %v : Tensor, %i : Tensor = aten::max(%x, %dim, %keep)
  %b : Tensor = aten::tanh(%v)
  %c : Tensor = aten::tanh(%i)
  %d : Tensor = aten::mul(%v, %i)
  return (%b, %c, %d))IR",
                        {"v", "b", "c", "d"});
  EXPECT_TRUE(sources.AreCompared("b"));
  EXPECT_FALSE(sources.AreCompared("c"));
  EXPECT_FALSE(sources.AreCompared("d"));
  for (const char* name : {"b", "c", "d"}) {
    EXPECT_THAT(sources.Of(name), ElementsAre("v"));
  }
}

TEST(SourcesOfPlacesTest, ElementsOfAListAreNotCompared) {
  const Sources sources(R"IR(
graph(%x : Tensor, %n : int):
  %list : Tensor[] = aten::chunk(%x, %n, %n)
  %a : Tensor, %b : Tensor = prim::ListUnpack(%list)
  %c : Tensor = aten::tanh(%b)
  return (%c))IR",
                        {"list", "c"});
  EXPECT_THAT(sources.Of("c"), ElementsAre("list"));
  EXPECT_FALSE(sources.AreCompared("c"));
}

TEST(SourcesOfPlacesTest, WritesCountFromWhereTheyAre) {
  const Sources sources(R"IR(
graph(%x : Tensor):
  %one : int = prim::Constant[value=1]()
  %a : Tensor = aten::relu(%x)
  %n : Tensor = aten::neg(%x)
  %b : Tensor = aten::tanh(%n)
  %u : Tensor = aten::add_(%n, %a, %one)
  %c : Tensor = aten::tanh(%n)
  %d : Tensor = aten::sigmoid_(%n)
  %e : Tensor = aten::tanh(%n)
  return (%b, %c, %e))IR",
                        {"a", "b", "c", "d", "e"});
  EXPECT_THAT(sources.Of("b"), IsEmpty());
  EXPECT_THAT(sources.Of("c"), ElementsAre("a"));
  EXPECT_THAT(sources.Of("d"), ElementsAre("a"));
  EXPECT_THAT(sources.Of("e"), ElementsAre("d"));
}

TEST(SourcesOfPlacesTest, WritesToViewsReachWhatTheyAreViewsOf) {
  const Sources sources(R"IR(
graph(%x : Tensor, %y : Tensor):
  %zero : int = prim::Constant[value=0]()
  %no : bool = prim::Constant[value=0]()
  %a : Tensor = aten::relu(%x)
  %b : Tensor = aten::tanh(%y)
  %row : Tensor = aten::select(%a, %zero, %zero)
  %part : Tensor = aten::select(%row, %zero, %zero)
  %w : Tensor = aten::copy_(%part, %b, %no)
  %c : Tensor = aten::sigmoid(%a)
  return (%c))IR",
                        {"a", "b", "c"});
  EXPECT_THAT(sources.Of("c"), ElementsAre("a", "b"));
  EXPECT_TRUE(sources.AreCompared("c"));
}

TEST(SourcesOfPlacesTest, AShapeIsNoSource) {
  const Sources sources(R"IR(
graph(%x : Tensor, %y : Tensor):
  %one : int = prim::Constant[value=1]()
  %none : NoneType = prim::Constant()
  %a : Tensor = aten::relu(%x)
  %b : Tensor = aten::tanh(%y)
  %h : Tensor = aten::zeros_like(%a, %none, %none, %none, %none, %none)
  %c : Tensor = aten::add(%b, %h, %one)
  return (%c))IR",
                        {"a", "b", "c"});
  EXPECT_THAT(sources.Of("c"), ElementsAre("b"));
  EXPECT_TRUE(sources.AreCompared("c"));
}

TEST(SourcesOfPlacesTest, ListsHoldWhatIsAppended) {
  const Sources sources(R"IR(
graph(%x : Tensor, %dim : int):
  %a : Tensor = aten::relu(%x)
  %list : Tensor[] = prim::ListConstruct(%x)
  %same : Tensor[] = aten::append(%list, %a)
  %b : Tensor = aten::cat(%list, %dim)
  return (%b))IR",
                        {"a", "b"});
  EXPECT_THAT(sources.Of("b"), ElementsAre("a"));
}

TEST(SourcesOfPlacesTest, WithoutPlacesThereIsNothing) {
  const NamedGraph graph("graph(%x : Tensor):\n  return (%x)\n");
  EXPECT_THAT(SourcesOfPlaces(*graph, {}), IsEmpty());
}

}  // namespace
}  // namespace ns
