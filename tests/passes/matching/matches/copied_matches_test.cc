#include "passes/matching/matches/copied_matches.h"

#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::Contains;
using ::testing::ElementsAreArray;
using ::testing::Not;
using ::testing::SizeIs;
using ::torch::jit::Node;

// %x is quantized inside of an arm, where it is compared as well.
constexpr char kFloat[] = R"IR(
graph(%x : Tensor, %c : bool):
  %e : Tensor = aten::erfinv(%x)
  %y : Tensor = prim::If(%c)
    block0():
      %s : Tensor = aten::sigmoid(%x)
      %r : Tensor = aten::relu(%s)
      -> (%r)
    block1():
      -> (%x)
  %t : Tensor = aten::tanh(%y)
  return (%t))IR";

constexpr char kQuantized[] = R"IR(
graph(%x : Tensor, %c : bool):
  %scale : float = prim::Constant[value=0.5]()
  %zero : int = prim::Constant[value=3]()
  %dtype : int = prim::Constant[value=13]()
  %y : Tensor = prim::If(%c)
    block0():
      %q : Tensor = aten::quantize_per_tensor(%x, %scale, %zero, %dtype)
      %s : Tensor = aten::sigmoid(%q)
      %r : Tensor = aten::relu(%s)
      %d : Tensor = aten::dequantize(%r)
      -> (%d)
    block1():
      -> (%x)
  %t : Tensor = aten::tanh(%y)
  return (%t))IR";

std::vector<std::string> Describe(const MatchResult& result) {
  std::vector<std::string> lines;
  const auto add = [&](const SubgraphMatch& match, const MatchedSide& side) {
    lines.push_back(
        absl::StrCat(match.name, " ", side.name, " ",
                     side.output->node()->kind().toQualString(), " ",
                     side.compared_in == nullptr ? "-" : "in a block",
                     match.is_quantize_point ? " quantized" : ""));
    for (const Node* node : side.subgraph.nodes) {
      lines.push_back(node->kind().toQualString());
    }
  };
  for (const SubgraphMatch& match : result.matches) {
    add(match, match.a);
    add(match, match.b);
  }
  for (const auto* unmatched : {&result.unmatched_a, &result.unmatched_b}) {
    for (const UnmatchedOp& op : *unmatched) {
      lines.push_back(absl::StrCat(op.node->kind().toQualString(), op.reason));
    }
  }
  return lines;
}

// The nodes and blocks of a match that are none of `graph`.
int PointersOutOf(const torch::jit::Graph& graph, const MatchedSide& side) {
  int outside = side.output->owningGraph() != &graph;
  for (const Node* node :
       {side.subgraph.start, side.subgraph.end, side.subgraph.base}) {
    outside += node != nullptr && node->owningGraph() != &graph;
  }
  for (const Node* node : side.subgraph.nodes) {
    outside += node->owningGraph() != &graph;
  }
  return outside + (side.compared_in != nullptr &&
                    side.compared_in->owningGraph() != &graph);
}

TEST(CopiedMatchesTest, AreTheMatchesOfTheCopies) {
  const ModelGraph a = ModelOf(kFloat);
  const ModelGraph b = ModelOf(kQuantized);
  const MatchResult matches = OrThrow(MatchSubgraphs(a, b));
  const ModelGraph copy_a = OrThrow(a.Clone());
  const ModelGraph copy_b = OrThrow(b.Clone());
  const MatchResult copied = MatchesOfCopies(matches, a, copy_a, b, copy_b);
  EXPECT_THAT(Describe(copied), ElementsAreArray(Describe(matches)));
  EXPECT_THAT(
      Describe(copied),
      ElementsAreArray(Describe(OrThrow(MatchSubgraphs(copy_a, copy_b)))));
  for (const SubgraphMatch& match : copied.matches) {
    EXPECT_EQ(PointersOutOf(copy_a.graph(), match.a), 0) << match.name;
    EXPECT_EQ(PointersOutOf(copy_b.graph(), match.b), 0) << match.name;
  }
  ASSERT_THAT(copied.unmatched_a, SizeIs(1));
  EXPECT_EQ(copied.unmatched_a[0].node, NodeOf(copy_a.graph(), "aten::erfinv"));
}

// The parts that are seldom there.
TEST(CopiedMatchesTest, HaveAPointInsideOfAnArm) {
  const ModelGraph a = ModelOf(kFloat);
  const ModelGraph b = ModelOf(kQuantized);
  const MatchResult matches = OrThrow(MatchSubgraphs(a, b));
  const std::vector<std::string> lines = Describe(matches);
  EXPECT_THAT(lines, Contains(testing::HasSubstr("in a block quantized")));
  const ModelGraph copy_a = OrThrow(a.Clone());
  const ModelGraph copy_b = OrThrow(b.Clone());
  const MatchResult copied = MatchesOfCopies(matches, a, copy_a, b, copy_b);
  for (const SubgraphMatch& match : copied.matches) {
    if (match.is_quantize_point) {
      EXPECT_EQ(match.a.output, copy_a.graph().inputs()[1]);
      EXPECT_EQ(match.a.compared_in,
                NodeOf(copy_a.graph(), "prim::If")->blocks()[0]);
    }
  }
}

}  // namespace
}  // namespace ns
