#include "ns/report/graph/merged_graph.h"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

DataFlowNode Layer(const std::string& fqn) { return {fqn, fqn, "", fqn, ""}; }

DataFlowNode Unmatched(const std::string& fqn) {
  return {fqn, fqn, "", "", "no counterpart"};
}

// Returns a line for each cell: its path, and the nodes of both models.
std::vector<std::string> Lines(const MergedGraph& graph) {
  std::vector<std::string> lines;
  for (const MergedCell& cell : graph.cells) {
    lines.push_back(absl::StrCat(
        absl::StrJoin(cell.path, "."), " ",
        cell.float_node ? absl::StrCat(*cell.float_node) : "-", " ",
        cell.quantized_node ? absl::StrCat(*cell.quantized_node) : "-"));
  }
  return lines;
}

TEST(MergedGraphTest, NothingIsNothing) {
  EXPECT_THAT(Merge({}).cells, IsEmpty());
}

TEST(MergedGraphTest, BothSidesOfALayerAreOneCell) {
  const MergedGraph merged = Merge({{{Layer("a"), Layer("b")}, {{0, 1}}},
                                    {{Layer("a"), Layer("b")}, {{0, 1}}}});
  EXPECT_THAT(Lines(merged), ElementsAre("a 0 0", "b 1 1"));
  EXPECT_THAT(merged.edges, ElementsAre(Pair(0, 1)));
}

TEST(MergedGraphTest, OwnOpsStandBesideTheirNeighbours) {
  const MergedGraph merged =
      Merge({{{Layer("a"), Unmatched("drop"), Layer("b")}, {{0, 1}, {1, 2}}},
             {{Unmatched("quant"), Layer("a"), Layer("b")}, {{0, 1}, {1, 2}}}});
  EXPECT_THAT(Lines(merged),
              ElementsAre("quant - 0", "a 0 1", "drop 1 -", "b 2 2"));
  EXPECT_THAT(merged.edges, UnorderedElementsAre(Pair(0, 1), Pair(1, 2),
                                                 Pair(1, 3), Pair(2, 3)));
}

TEST(MergedGraphTest, SwappedLayersEndInSomeOrder) {
  const MergedGraph merged = Merge({{{Layer("a"), Layer("b")}, {{0, 1}}},
                                    {{Layer("b"), Layer("a")}, {{0, 1}}}});
  EXPECT_THAT(Lines(merged), ElementsAre("b 1 0", "a 0 1"));
  EXPECT_THAT(merged.edges, ElementsAre(Pair(0, 1)));
}

TEST(MergedGraphTest, TakesTheDeeperPathOfBothSides) {
  DataFlowNode traced = Layer("add");
  traced.fqn = "";
  DataFlowNode scripted = Layer("add");
  scripted.fqn = "block.one";
  EXPECT_THAT(Lines(Merge({{{scripted}, {}}, {{traced}, {}}})),
              ElementsAre("block.one 0 0"));
}

TEST(MergedGraphTest, OpsOfOuterModulesDoNotTearInnerOnesApart) {
  const MergedGraph merged =
      Merge({{},
             {{Layer("block.one"), Layer(""), Layer(""), Layer("block.two"),
               Layer(""), Layer("head")},
              {}}});
  EXPECT_THAT(Lines(merged),
              ElementsAre("block.one - 0", "block - 1", "block - 2",
                          "block.two - 3", " - 4", "head - 5"));
}

TEST(MergedGraphTest, EdgesOfNoNodeAreLeftOut) {
  const MergedGraph merged =
      Merge({{{Layer("a")}, {{0, 5}, {7, 0}, {0, 0}}}, {}});
  EXPECT_THAT(merged.edges, IsEmpty());
}

TEST(MergedGraphTest, PathsOfAnyDepthAreCut) {
  const MergedGraph merged =
      Merge({{{Layer(std::string(100000, '.'))}, {}}, {}});
  EXPECT_EQ(merged.cells[0].path.size(), 32);
}

}  // namespace
}  // namespace ns
