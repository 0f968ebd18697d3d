#include "passes/instrument/pair/pair_plan.h"

#include <torch/csrc/jit/ir/ir.h>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "passes/matching/graph_matcher.h"
#include "tests/testing/ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

// The options for the only match of a model with itself.
PairComparerOptions OptionsFor(absl::string_view text, const PairPlan& plan) {
  const ModelGraph a = ModelOf(text);
  const ModelGraph b = ModelOf(text);
  const MatchResult result = OrThrow(MatchSubgraphs(a, b));
  for (const SubgraphMatch& match : result.matches) {
    if (match.b.subgraph.base->kind() == c10::aten::softmax) {
      return ComparerOptionsFor(match, plan);
    }
  }
  ADD_FAILURE() << "no softmax is matched";
  return {};
}

constexpr char kPlain[] = R"IR(
graph(%x : Tensor):
  %one : int = prim::Constant[value=1]()
  %none : NoneType = prim::Constant()
  %y : Tensor = aten::softmax(%x, %one, %none)
  return (%y))IR";

constexpr char kInLoop[] = R"IR(
graph(%x : Tensor):
  %one : int = prim::Constant[value=1]()
  %yes : bool = prim::Constant[value=1]()
  %none : NoneType = prim::Constant()
  %y : Tensor = prim::Loop(%one, %yes, %x)
    block0(%i : int, %v : Tensor):
      %w : Tensor = aten::softmax(%v, %one, %none)
      -> (%yes, %w)
  return (%y))IR";

TEST(PairPlanTest, TripsHaveFiguresOfTheirOwnInLoopsOnly) {
  EXPECT_FALSE(OptionsFor(kPlain, {}).in_loop);
  EXPECT_TRUE(OptionsFor(kInLoop, {}).in_loop);
}

TEST(PairPlanTest, WhatIsNotAskedForIsNotGathered) {
  const PairComparerOptions options = OptionsFor(kPlain, {});
  EXPECT_EQ(options.channels, ChannelDim::kNone);
  EXPECT_FALSE(options.errors);
  EXPECT_FALSE(options.histograms);
}

TEST(PairPlanTest, EachWishAsksForItsOwnFigures) {
  PairPlan plan;
  plan.channels = true;
  EXPECT_EQ(OptionsFor(kPlain, plan).channels, ChannelDim::kByRank);
  EXPECT_FALSE(OptionsFor(kPlain, plan).errors);
  plan = {};
  plan.outliers = true;
  EXPECT_TRUE(OptionsFor(kPlain, plan).errors);
  EXPECT_FALSE(OptionsFor(kPlain, plan).histograms);
  plan = {};
  plan.histograms = true;
  EXPECT_TRUE(OptionsFor(kPlain, plan).histograms);
  EXPECT_FALSE(OptionsFor(kPlain, plan).errors);
}

}  // namespace
}  // namespace ns
