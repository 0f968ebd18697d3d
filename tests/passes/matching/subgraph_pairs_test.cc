#include "passes/matching/subgraph_pairs.h"

#include <torch/csrc/jit/ir/ir.h>

#include "gtest/gtest.h"
#include "passes/matching/matchable_nodes.h"
#include "passes/ops/op_relations.h"
#include "tests/testing/ir.h"

namespace ns {
namespace {

TEST(SubgraphPairsTest, LinksTheOnlyOutputs) {
  const auto graph_a = GraphOf(R"IR(
graph(%x : Tensor):
  %y : Tensor = aten::sigmoid(%x)
  return (%y))IR");
  const auto graph_b = graph_a->copy();
  const OpRelations relations;
  const MatchableNodes a(*graph_a, relations);
  const MatchableNodes b(*graph_b, relations);
  SubgraphPairs pairs(a, b);
  EXPECT_EQ(pairs.LinkedA(graph_b->outputs()[0]), nullptr);
  pairs.Match(0, 0);
  EXPECT_EQ(pairs.LinkedA(graph_b->outputs()[0]), graph_a->outputs()[0]);
  EXPECT_EQ(pairs.LinkedA(graph_b->inputs()[0]), nullptr);
}

TEST(SubgraphPairsTest, LinksOutputsThatAreNotCompared) {
  const auto graph_a = GraphOf(R"IR(
graph(%x : Tensor, %c : bool, %k : int):
  %l : Dict(int, Tensor) = prim::If(%c)
    block0():
      %y : Tensor = aten::sigmoid(%x)
      %l1 : Dict(int, Tensor) = prim::DictConstruct(%k, %y)
      -> (%l1)
    block1():
      %l2 : Dict(int, Tensor) = prim::DictConstruct(%k, %x)
      -> (%l2)
  return (%l))IR");
  const auto graph_b = GraphOf(R"IR(
graph(%x : Tensor, %c : bool, %k : int):
  %d : Dict(int, Tensor) = prim::If(%c)
    block0():
      %y : Tensor = aten::sigmoid(%x)
      %d1 : Dict(int, Tensor) = prim::DictConstruct(%k, %y)
      -> (%d1)
    block1():
      %d2 : Dict(int, Tensor) = prim::DictConstruct(%k, %x)
      -> (%d2)
  return (%d))IR");
  const OpRelations relations;
  const MatchableNodes a(*graph_a, relations);
  const MatchableNodes b(*graph_b, relations);
  SubgraphPairs pairs(a, b);
  pairs.Match(0, 0);
  EXPECT_EQ(pairs.LinkedA(graph_b->outputs()[0]), graph_a->outputs()[0]);
}

}  // namespace
}  // namespace ns
