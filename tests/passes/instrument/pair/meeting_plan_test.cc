#include "passes/instrument/pair/meeting_plan.h"

#include <torch/csrc/jit/ir/ir.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/named_graph.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::torch::jit::Node;

class MeetingPlanTest : public testing::Test {
 protected:
  using Pairs = std::vector<std::pair<std::string, std::string>>;

  // Plans meetings of values of these names.
  void Plan(absl::string_view a, absl::string_view b, const Pairs& pairs) {
    a_ = std::make_unique<NamedGraph>(a);
    b_ = std::make_unique<NamedGraph>(b);
    std::vector<MeetingPoint> points;
    for (const auto& [of_a, of_b] : pairs) {
      points.push_back({a_->Named(of_a), b_->Named(of_b)});
    }
    plan_ = PlanMeetings(points);
  }

  // "x with y: 0 2" for nodes that make x and y; "-" stands for parameters.
  // Plans of blocks are in braces.
  std::vector<std::string> Lines(const BlockPlan& plan) const {
    const auto name = [](const NamedGraph& graph, const Node* node) {
      return node == nullptr ? "-" : graph.NameOf(*node);
    };
    std::vector<std::string> lines;
    for (const BlockPlan::Step& step : plan.steps) {
      std::string line = absl::StrCat(
          name(*a_, step.a), " with ", name(*b_, step.b), ":",
          step.points.empty() ? "" : " ", absl::StrJoin(step.points, " "));
      for (const BlockPlan& block : step.blocks) {
        absl::StrAppend(&line, " {", absl::StrJoin(Lines(block), ", "), "}");
      }
      lines.push_back(line);
    }
    return lines;
  }
  std::vector<std::string> Lines() const { return Lines(plan_.top); }

  std::unique_ptr<NamedGraph> a_;
  std::unique_ptr<NamedGraph> b_;
  MeetingPlan plan_;
};

constexpr char kChain[] = R"IR(
graph(%x : Tensor):
  %a : Tensor = aten::neg(%x)
  %b : Tensor = aten::relu(%a)
  %c : Tensor = aten::sigmoid(%b)
  return (%c))IR";

TEST_F(MeetingPlanTest, NothingMeets) {
  Plan(kChain, kChain, {});
  EXPECT_THAT(Lines(), IsEmpty());
  EXPECT_THAT(plan_.apart, IsEmpty());
  EXPECT_THAT(plan_.a_is_early, IsEmpty());
}

TEST_F(MeetingPlanTest, ChainMeetsInOrder) {
  Plan(kChain, kChain, {{"a", "a"}, {"b", "b"}, {"c", "c"}});
  EXPECT_THAT(Lines(),
              ElementsAre("a with a: 0", "b with b: 1", "c with c: 2"));
  EXPECT_THAT(plan_.apart, ElementsAre(false, false, false));
  EXPECT_THAT(plan_.a_is_early, ElementsAre(false, false, false));
}

TEST_F(MeetingPlanTest, OrderIsThatOfBWhateverThatOfThePoints) {
  Plan(kChain, kChain, {{"c", "c"}, {"a", "a"}, {"b", "b"}});
  EXPECT_THAT(Lines(),
              ElementsAre("a with a: 1", "b with b: 2", "c with c: 0"));
  EXPECT_THAT(plan_.a_is_early, ElementsAre(false, false, false));
}

TEST_F(MeetingPlanTest, AWaitsWhereOrdersCross) {
  Plan(kChain, kChain, {{"a", "c"}, {"b", "b"}, {"c", "a"}});
  EXPECT_THAT(Lines(),
              ElementsAre("c with a: 2", "b with b: 1", "a with c: 0"));
  EXPECT_THAT(plan_.apart, ElementsAre(false, false, false));
  EXPECT_THAT(plan_.a_is_early, ElementsAre(true, true, false));
}

TEST_F(MeetingPlanTest, OneValueMeetsSeveral) {
  Plan(kChain, kChain, {{"a", "a"}, {"a", "b"}, {"b", "b"}, {"b", "c"}});
  EXPECT_THAT(Lines(), ElementsAre("a with a: 0", "a with b: 1", "b with b: 2",
                                   "b with c: 3"));
  // Nothing of A has run on when %b of B comes by first.
  EXPECT_THAT(plan_.a_is_early, ElementsAre(false, false, false, false));
}

TEST_F(MeetingPlanTest, ParametersComeFirst) {
  Plan(kChain, kChain, {{"x", "x"}, {"x", "b"}, {"b", "x"}});
  EXPECT_THAT(Lines(),
              ElementsAre("- with -: 0", "b with -: 2", "- with b: 1"));
  EXPECT_THAT(plan_.a_is_early, ElementsAre(false, true, false));
}

constexpr char kChoice[] = R"IR(
graph(%x : Tensor, %p : bool):
  %before : Tensor = aten::neg(%x)
  %y : Tensor = prim::If(%p)
    block0():
      %a : Tensor = aten::relu(%before)
      %b : Tensor = aten::sigmoid(%a)
      -> (%b)
    block1():
      %c : Tensor = aten::tanh(%before)
      -> (%c)
  %after : Tensor = aten::neg(%y)
  return (%after))IR";

TEST_F(MeetingPlanTest, PairsIfsByThePointsInside) {
  Plan(kChoice, kChoice,
       {{"before", "before"},
        {"a", "a"},
        {"b", "b"},
        {"c", "c"},
        {"after", "after"}});
  EXPECT_THAT(Lines(),
              ElementsAre("before with before: 0",
                          "y with y: {a with a: 1, b with b: 2} {c with c: 3}",
                          "after with after: 4"));
  EXPECT_THAT(plan_.apart, ElementsAre(false, false, false, false, false));
}

// %x of A is there from the beginning of the arm on.
TEST_F(MeetingPlanTest, ValuesFromOutsideMeetInABlock) {
  const NamedGraph a(kChoice);
  const NamedGraph b(kChoice);
  MeetingPoint in_arm = {a.Named("x"), b.Named("b")};
  in_arm.block_a = a.Named("a")->node()->owningBlock();
  MeetingPoint in_other_arm = in_arm;
  in_other_arm.b = b.Named("c");
  const MeetingPlan plan =
      PlanMeetings({in_arm, {a.Named("a"), b.Named("a")}, in_other_arm});
  EXPECT_THAT(plan.apart, ElementsAre(false, false, true));
  // %a of A comes by before %b of B does.
  EXPECT_THAT(plan.a_is_early, ElementsAre(true, false, false));
  ASSERT_EQ(plan.top.steps.size(), 1);
  const std::vector<BlockPlan::Step>& steps = plan.top.steps[0].blocks[0].steps;
  ASSERT_EQ(steps.size(), 2);
  EXPECT_EQ(steps[1].a, nullptr);
  EXPECT_EQ(steps[1].b, b.Named("b")->node());
  EXPECT_THAT(steps[1].points, ElementsAre(0));
}

TEST_F(MeetingPlanTest, IfsWithoutPointsInsideDoNotRunAsOne) {
  Plan(kChoice, kChoice, {{"before", "before"}, {"after", "after"}});
  EXPECT_THAT(Lines(),
              ElementsAre("before with before: 0", "after with after: 1"));
}

TEST_F(MeetingPlanTest, OutputsOfPairedIfsMeetBehindThem) {
  Plan(kChoice, kChoice, {{"y", "y"}, {"c", "c"}});
  EXPECT_THAT(Lines(),
              ElementsAre("y with y: {} {c with c: 1}", "y with y: 0"));
  EXPECT_THAT(plan_.apart, ElementsAre(false, false));
  EXPECT_THAT(plan_.a_is_early, ElementsAre(false, false));
}

TEST_F(MeetingPlanTest, ValuesOfOtherArmsAreApart) {
  Plan(kChoice, kChoice, {{"a", "c"}, {"c", "a"}});
  EXPECT_THAT(Lines(), IsEmpty());
  EXPECT_THAT(plan_.apart, ElementsAre(true, true));
}

TEST_F(MeetingPlanTest, ControlFlowOfOneModelSetsApart) {
  Plan(kChoice, kChain, {{"a", "b"}, {"before", "a"}, {"after", "c"}});
  EXPECT_THAT(Lines(), ElementsAre("before with a: 1", "after with c: 2"));
  EXPECT_THAT(plan_.apart, ElementsAre(true, false, false));
  Plan(kChain, kChoice, {{"b", "a"}, {"a", "before"}, {"c", "after"}});
  EXPECT_THAT(Lines(), ElementsAre("a with before: 1", "c with after: 2"));
  EXPECT_THAT(plan_.apart, ElementsAre(true, false, false));
}

TEST_F(MeetingPlanTest, WhatCrossesPairedControlFlowIsApartOrEarly) {
  // A before it and B behind: A waits. A behind it and B before: B cannot.
  Plan(kChoice, kChoice,
       {{"before", "after"}, {"b", "b"}, {"after", "before"}});
  EXPECT_THAT(Lines(), ElementsAre("y with y: {b with b: 1} {}",
                                   "before with after: 0"));
  EXPECT_THAT(plan_.apart, ElementsAre(false, false, true));
  EXPECT_TRUE(plan_.a_is_early[0]);
}

constexpr char kTwoChoices[] = R"IR(
graph(%x : Tensor, %p : bool):
  %y : Tensor = prim::If(%p)
    block0():
      %a : Tensor = aten::relu(%x)
      -> (%a)
    block1():
      -> (%x)
  %z : Tensor = prim::If(%p)
    block0():
      %b : Tensor = aten::sigmoid(%y)
      %c : Tensor = aten::tanh(%y)
      -> (%b)
    block1():
      -> (%y)
  return (%z))IR";

TEST_F(MeetingPlanTest, CrossedControlFlowRunsAsOneOnce) {
  Plan(kTwoChoices, kTwoChoices, {{"b", "a"}, {"a", "b"}});
  // The first in order of B is kept.
  EXPECT_THAT(Lines(), ElementsAre("z with y: {b with a: 0} {}"));
  EXPECT_THAT(plan_.apart, ElementsAre(false, true));
}

TEST_F(MeetingPlanTest, ControlFlowHasOnePartner) {
  Plan(kTwoChoices, kTwoChoices, {{"a", "a"}, {"a", "b"}, {"b", "b"}});
  EXPECT_THAT(Lines(), ElementsAre("y with y: {a with a: 0} {}",
                                   "z with z: {b with b: 2} {}"));
  EXPECT_THAT(plan_.apart, ElementsAre(false, true, false));
}

constexpr char kLoop[] = R"IR(
graph(%x : Tensor, %n : int, %p : bool):
  %y : Tensor = prim::Loop(%n, %p, %x)
    block0(%i : int, %v : Tensor):
      %a : Tensor = aten::relu(%v)
      %w : Tensor = prim::If(%p)
        block0():
          %b : Tensor = aten::sigmoid(%a)
          -> (%b)
        block1():
          -> (%a)
      %u : Tensor = prim::Loop(%n, %p, %w)
        block0(%j : int, %t : Tensor):
          %c : Tensor = aten::tanh(%t)
          -> (%p, %c)
      -> (%p, %u)
  %z : Tensor = aten::neg(%y)
  return (%z))IR";

TEST_F(MeetingPlanTest, NestsLoopsAndIfs) {
  Plan(kLoop, kLoop, {{"a", "a"}, {"b", "b"}, {"c", "c"}, {"z", "z"}});
  EXPECT_THAT(Lines(),
              ElementsAre("y with y: {a with a: 0, w with w: {b with b: 1} {}, "
                          "u with u: {c with c: 2}}",
                          "z with z: 3"));
}

TEST_F(MeetingPlanTest, NestedPointsAlonePairTheLoopsAroundThem) {
  Plan(kLoop, kLoop, {{"c", "c"}});
  EXPECT_THAT(Lines(), ElementsAre("y with y: {u with u: {c with c: 0}}"));
}

TEST_F(MeetingPlanTest, ParametersOfLoopBodiesMeet) {
  Plan(kLoop, kLoop, {{"v", "v"}, {"v", "a"}, {"a", "v"}});
  EXPECT_THAT(Lines(), ElementsAre("y with y: {- with -: 0, a with -: 2, "
                                   "- with a: 1}"));
  EXPECT_THAT(plan_.a_is_early, ElementsAre(false, true, false));
}

TEST_F(MeetingPlanTest, OtherDepthIsApart) {
  Plan(kLoop, kLoop, {{"a", "b"}, {"b", "c"}, {"z", "a"}, {"a", "a"}});
  EXPECT_THAT(Lines(), ElementsAre("y with y: {a with a: 3}"));
  EXPECT_THAT(plan_.apart, ElementsAre(true, true, true, false));
}

TEST_F(MeetingPlanTest, LoopsAndIfsAreNoPair) {
  Plan(kLoop, kChoice, {{"a", "a"}});
  EXPECT_THAT(Lines(), IsEmpty());
  EXPECT_THAT(plan_.apart, ElementsAre(true));
}

// Every point is either apart or in exactly one step, and each of A's nodes
// with blocks comes after those of the steps before.
TEST_F(MeetingPlanTest, AllPairsOfValuesHaveOnePlace) {
  const std::vector<std::string> names = {"x", "a", "b", "w",
                                          "c", "u", "y", "z"};
  Pairs pairs;
  for (const std::string& of_a : names) {
    for (const std::string& of_b : names) {
      pairs.emplace_back(of_a, of_b);
    }
  }
  Plan(kLoop, kLoop, pairs);
  std::vector<int> times(pairs.size());
  const auto count = [&](const auto& self, const BlockPlan& plan) -> void {
    const Node* last_a = nullptr;
    for (const BlockPlan::Step& step : plan.steps) {
      for (const size_t point : step.points) {
        ++times[point];
      }
      if (!step.blocks.empty()) {
        EXPECT_TRUE(last_a == nullptr || last_a->isBefore(step.a));
        last_a = step.a;
      }
      for (const BlockPlan& block : step.blocks) {
        self(self, block);
      }
    }
  };
  count(count, plan_.top);
  for (size_t i = 0; i < pairs.size(); ++i) {
    EXPECT_EQ(times[i], plan_.apart[i] ? 0 : 1)
        << pairs[i].first << " with " << pairs[i].second;
  }
}

}  // namespace
}  // namespace ns
