#include "passes/matching/matches/match_producers.h"

#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/model/model_graph.h"
#include "tests/testing/ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// One line a match: "conv: relu add", what feeds it, and "..." where that is
// not what is compared there. Only the ops that `ops` lists are matched (all
// for none), as one model with itself.
std::vector<std::string> Producers(absl::string_view text,
                                   const std::vector<std::string>& ops = {}) {
  const ModelGraph model = ModelOf(text);
  const ModelGraph same = ModelOf(text);
  MatchResult matches = OrThrow(MatchSubgraphs(model, same));
  std::vector<SubgraphMatch> kept;
  for (const SubgraphMatch& match : matches.matches) {
    if (ops.empty() ||
        std::find(ops.begin(), ops.end(),
                  match.b.subgraph.base->kind().toUnqualString()) !=
            ops.end()) {
      kept.push_back(match);
    }
  }
  matches.matches = kept;
  std::vector<std::string> lines;
  const auto producers = ProducersOf(same.graph(), matches);
  EXPECT_EQ(producers.size(), kept.size());
  for (size_t i = 0; i < producers.size(); ++i) {
    const std::vector<size_t>& from = producers[i].matches;
    EXPECT_TRUE(std::is_sorted(from.begin(), from.end()));
    lines.push_back(
        absl::StrCat(kept[i].name, ": ",
                     absl::StrJoin(from, " ",
                                   [&](std::string* out, size_t index) {
                                     absl::StrAppend(out, kept[index].name);
                                   }),
                     producers[i].are_compared ? "" : "..."));
  }
  return lines;
}

TEST(MatchProducersTest, NoMatchesHaveNoProducers) {
  const ModelGraph model = ModelOf("graph(%x : Tensor):\n  return (%x)");
  EXPECT_THAT(ProducersOf(model.graph(), {}), IsEmpty());
}

TEST(MatchProducersTest, ChainFeedsItself) {
  EXPECT_THAT(Producers(R"IR(
graph(%x : Tensor):
  %a : Tensor = aten::sigmoid(%x)
  %b : Tensor = aten::tanh(%a)
  %c : Tensor = aten::hardswish(%b)
  return (%c))IR"),
              ElementsAre("sigmoid: ", "tanh: sigmoid", "hardswish: tanh"));
}

TEST(MatchProducersTest, UnmatchedOpsPassValuesOn) {
  EXPECT_THAT(Producers(R"IR(
graph(%x : Tensor):
  %one : int = prim::Constant[value=1]()
  %a : Tensor = aten::sigmoid(%x)
  %n : Tensor = aten::neg(%a)
  %m : Tensor = aten::exp(%n)
  %c : Tensor = aten::hardswish(%m)
  return (%c))IR",
                        {"sigmoid", "hardswish"}),
              ElementsAre("sigmoid: ", "hardswish: sigmoid..."));
}

// What a quantize without a counterpart rounds is compared nowhere.
TEST(MatchProducersTest, WhatAnUnmatchedOpComputesIsNotCompared) {
  EXPECT_THAT(Producers(R"IR(
graph(%x : Tensor, %s : float, %n : int):
  %a : Tensor = aten::sigmoid(%x)
  %q : Tensor = aten::quantize_per_tensor(%a, %s, %n, %n)
  %d : Tensor = aten::dequantize(%q)
  %b : Tensor = aten::tanh(%d)
  return (%b))IR",
                        {"sigmoid", "tanh"}),
              ElementsAre("sigmoid: ", "tanh: sigmoid..."));
}

TEST(MatchProducersTest, SeveralInputsHaveSeveralProducersInOrder) {
  EXPECT_THAT(Producers(R"IR(
graph(%x : Tensor):
  %one : int = prim::Constant[value=1]()
  %a : Tensor = aten::sigmoid(%x)
  %b : Tensor = aten::tanh(%x)
  %c : Tensor = aten::add(%b, %a, %one)
  %d : Tensor = aten::mul(%c, %a)
  return (%d))IR"),
              ElementsAre("sigmoid: ", "tanh: ", "add: sigmoid tanh",
                          "mul: sigmoid add"));
}

TEST(MatchProducersTest, ProducerIsNamedOnce) {
  EXPECT_THAT(Producers(R"IR(
graph(%x : Tensor):
  %a : Tensor = aten::sigmoid(%x)
  %n : Tensor = aten::neg(%a)
  %d : Tensor = aten::mul(%n, %a)
  return (%d))IR",
                        {"sigmoid", "mul"}),
              ElementsAre("sigmoid: ", "mul: sigmoid..."));
}

TEST(MatchProducersTest, ListsAndTuplesPassValuesOn) {
  EXPECT_THAT(Producers(R"IR(
graph(%x : Tensor):
  %zero : int = prim::Constant[value=0]()
  %a : Tensor = aten::sigmoid(%x)
  %b : Tensor = aten::tanh(%x)
  %list : Tensor[] = prim::ListConstruct(%b, %a)
  %c : Tensor = aten::cat(%list, %zero)
  %t : (Tensor, Tensor) = prim::TupleConstruct(%c, %a)
  %u : Tensor, %v : Tensor = prim::TupleUnpack(%t)
  %d : Tensor = aten::hardswish(%u)
  return (%d))IR",
                        {"sigmoid", "tanh", "cat"}),
              ElementsAre("sigmoid: ", "tanh: ", "cat: sigmoid tanh"));
}

TEST(MatchProducersTest, OtherOutputsAndElementsAreNotCompared) {
  EXPECT_THAT(
      Producers(
          R"IR(
graph(%x : Tensor):
  %two : int = prim::Constant[value=2]()
  %one : int = prim::Constant[value=1]()
  %l : Tensor[] = aten::chunk(%x, %two, %one)
  %v : Tensor, %w : Tensor = prim::ListUnpack(%l)
  %a : Tensor = aten::sigmoid(%w)
  %b : Tensor = aten::tanh(%a)
  %values : Tensor, %indices : Tensor = aten::max(%b, %one, %one)
  %c : Tensor = aten::hardswish(%values)
  %d : Tensor = aten::relu(%indices)
  %e : Tensor = aten::add(%c, %d, %one)
  return (%e))IR",
          {"chunk", "sigmoid", "tanh", "max", "hardswish", "relu", "add"}),
      ElementsAre("chunk: ", "sigmoid: chunk...", "tanh: sigmoid", "max: tanh",
                  "hardswish: max", "relu: max...", "add: hardswish relu"));
}

TEST(MatchProducersTest, NumbersCarryNoData) {
  EXPECT_THAT(Producers(R"IR(
graph(%x : Tensor):
  %zero : int = prim::Constant[value=0]()
  %a : Tensor = aten::sigmoid(%x)
  %size : int = aten::size(%a, %zero)
  %y : Tensor = aten::unsqueeze(%x, %size)
  %b : Tensor = aten::tanh(%y)
  return (%b))IR",
                        {"sigmoid", "tanh"}),
              ElementsAre("sigmoid: ", "tanh: "));
}

// As numbers do not: the shape of a value is no data either.
TEST(MatchProducersTest, ShapesCarryNoData) {
  EXPECT_THAT(Producers(R"IR(
graph(%x : Tensor):
  %a : Tensor = aten::sigmoid(%x)
  %sizes : int[] = aten::size(%a)
  %y : Tensor = aten::reshape(%x, %sizes)
  %b : Tensor = aten::tanh(%y)
  return (%b))IR",
                        {"sigmoid", "tanh"}),
              ElementsAre("sigmoid: ", "tanh: "));
}

TEST(MatchProducersTest, BothArmsOfAnIfFeedWhatFollows) {
  EXPECT_THAT(Producers(R"IR(
graph(%x : Tensor, %p : bool):
  %y : Tensor = prim::If(%p)
    block0():
      %a : Tensor = aten::sigmoid(%x)
      -> (%a)
    block1():
      %b : Tensor = aten::tanh(%x)
      -> (%b)
  %c : Tensor = aten::hardswish(%y)
  return (%c))IR"),
              ElementsAre("sigmoid: ", "tanh: ", "hardswish: sigmoid tanh"));
}

TEST(MatchProducersTest, ArmsTakeValuesFromOutside) {
  EXPECT_THAT(
      Producers(R"IR(
graph(%x : Tensor, %p : bool):
  %a : Tensor = aten::sigmoid(%x)
  %y : Tensor = prim::If(%p)
    block0():
      %b : Tensor = aten::tanh(%a)
      -> (%b)
    block1():
      -> (%a)
  %c : Tensor = aten::hardswish(%y)
  return (%c))IR"),
      ElementsAre("sigmoid: ", "tanh: sigmoid", "hardswish: sigmoid tanh"));
}

// Each output of control flow comes from its own value in the arms.
TEST(MatchProducersTest, OutputsOfAnIfAreToldApart) {
  EXPECT_THAT(
      Producers(R"IR(
graph(%x : Tensor, %p : bool):
  %y : Tensor, %z : Tensor = prim::If(%p)
    block0():
      %a : Tensor = aten::sigmoid(%x)
      %b : Tensor = aten::tanh(%x)
      -> (%a, %b)
    block1():
      -> (%x, %x)
  %c : Tensor = aten::hardswish(%y)
  %d : Tensor = aten::relu(%z)
  return (%c, %d))IR"),
      ElementsAre("sigmoid: ", "tanh: ", "hardswish: sigmoid", "relu: tanh"));
}

TEST(MatchProducersTest, EarlierTripsDoNotCount) {
  EXPECT_THAT(Producers(R"IR(
graph(%x : Tensor, %n : int, %p : bool):
  %s : Tensor = aten::sigmoid(%x)
  %y : Tensor = prim::Loop(%n, %p, %s)
    block0(%i : int, %v : Tensor):
      %a : Tensor = aten::tanh(%v)
      %b : Tensor = aten::hardswish(%a)
      -> (%p, %b)
  %z : Tensor = aten::relu(%y)
  return (%z))IR"),
              ElementsAre("sigmoid: ", "tanh: sigmoid...", "hardswish: tanh",
                          "relu: sigmoid hardswish"));
}

TEST(MatchProducersTest, CarriedValuesAreToldApartInTheBody) {
  EXPECT_THAT(Producers(R"IR(
graph(%x : Tensor, %n : int, %p : bool):
  %s : Tensor = aten::sigmoid(%x)
  %t : Tensor = aten::tanh(%x)
  %y : Tensor, %z : Tensor = prim::Loop(%n, %p, %s, %t)
    block0(%i : int, %v : Tensor, %w : Tensor):
      %a : Tensor = aten::hardswish(%v)
      %b : Tensor = aten::relu(%w)
      -> (%p, %a, %b)
  return (%y))IR"),
              ElementsAre("sigmoid: ", "tanh: ", "hardswish: sigmoid...",
                          "relu: tanh..."));
}

TEST(MatchProducersTest, OutputsOfALoopAreToldApart) {
  EXPECT_THAT(Producers(R"IR(
graph(%x : Tensor, %n : int, %p : bool):
  %y : Tensor, %z : Tensor = prim::Loop(%n, %p, %x, %x)
    block0(%i : int, %v : Tensor, %w : Tensor):
      %a : Tensor = aten::sigmoid(%v)
      %b : Tensor = aten::tanh(%w)
      -> (%p, %a, %b)
  %c : Tensor = aten::hardswish(%y)
  %d : Tensor = aten::relu(%z)
  return (%c, %d))IR"),
              ElementsAre("sigmoid: ...", "tanh: ...", "hardswish: sigmoid",
                          "relu: tanh"));
}

// A chain is fed where it starts; what flows inside it is not from elsewhere.
TEST(MatchProducersTest, ChainsAreFedAtTheirStart) {
  EXPECT_THAT(Producers(R"IR(
graph(%x : Tensor, %w : Tensor):
  %none : NoneType = prim::Constant()
  %a : Tensor = aten::sigmoid(%x)
  %l : Tensor = aten::linear(%a, %w, %none)
  %r : Tensor = aten::relu(%l)
  %b : Tensor = aten::tanh(%r)
  return (%b))IR",
                        {"sigmoid", "linear", "tanh"}),
              ElementsAre("sigmoid: ", "linear: sigmoid", "tanh: linear..."));
}

// What flows into a list after it is made.
TEST(MatchProducersTest, AppendedValuesFlowIntoTheList) {
  EXPECT_THAT(Producers(R"IR(
graph(%x : Tensor):
  %zero : int = prim::Constant[value=0]()
  %a : Tensor = aten::sigmoid(%x)
  %b : Tensor = aten::tanh(%x)
  %list : Tensor[] = prim::ListConstruct(%a)
  %same : Tensor[] = aten::append(%list, %b)
  %c : Tensor = aten::cat(%list, %zero)
  return (%c))IR",
                        {"sigmoid", "tanh", "cat"}),
              ElementsAre("sigmoid: ", "tanh: ", "cat: sigmoid tanh"));
}

// What works in place changes its input.
TEST(MatchProducersTest, InPlaceOpsFeedWhatReadsTheirInput) {
  EXPECT_THAT(Producers(R"IR(
graph(%x : Tensor):
  %none : NoneType = prim::Constant()
  %a : Tensor = aten::clone(%x, %none)
  %b : Tensor = aten::sigmoid_(%a)
  %c : Tensor = aten::tanh(%a)
  return (%c))IR",
                        {"sigmoid_", "tanh"}),
              ElementsAre("sigmoid: ", "tanh: sigmoid"));
}

}  // namespace
}  // namespace ns
