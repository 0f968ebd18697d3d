#include "ns/report/json/graph_map.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/json/json_value.h"
#include "ir/json/parse_json.h"
#include "ir/json/read_json.h"
#include "ir/json/write_json.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::SizeIs;

DataFlowGraphs Graphs() {
  DataFlowGraphs graphs;
  graphs.of_float.nodes = {
      {"a", "a", "aten::conv2d", "a", ""},
      {"drop", "drop (dropout)", "aten::dropout", "", "idle"}};
  graphs.of_float.edges = {{0, 1}};
  graphs.of_quantized.nodes = {{"a", "a", "quantized::conv2d", "a", ""}};
  return graphs;
}

std::string ErrorOf(const std::string& text) {
  DataFlowGraphs graphs;
  return std::string(ReadJson(OrThrow(ParseJson(text)), graphs).message());
}

TEST(GraphMapTest, WritesNodesAndEdges) {
  const auto json = OrThrow(ParseJson(WriteJson(Graphs())));
  EXPECT_EQ(*FindMember(json, "float"), OrThrow(ParseJson(R"text({
      "nodes": [{"id": 0, "fqn": "a", "name": "a", "op": "aten::conv2d",
                 "layer": "a"},
                {"id": 1, "fqn": "drop", "name": "drop (dropout)",
                 "op": "aten::dropout", "reason": "idle"}],
      "edges": [[0, 1]]})text")));
}

TEST(GraphMapTest, ReadsWhatItWrote) {
  DataFlowGraphs read;
  NS_ASSERT_OK(ReadJson(OrThrow(ParseJson(WriteJson(Graphs()))), read));
  ASSERT_THAT(read.of_float.nodes, SizeIs(2));
  EXPECT_EQ(read.of_float.nodes[1].reason, "idle");
  EXPECT_EQ(read.of_float.nodes[0].layer, "a");
  EXPECT_THAT(read.of_float.edges, ElementsAre(Pair(0, 1)));
  EXPECT_EQ(WriteJson(read), WriteJson(Graphs()));
}

TEST(GraphMapTest, RefusesEdgesOfNoNode) {
  DataFlowGraphs graphs = Graphs();
  graphs.of_float.edges = {{0, 2}};
  EXPECT_THAT(ErrorOf(WriteJson(graphs)),
              HasSubstr("must be a graph whose edges name its nodes"));
}

TEST(GraphMapTest, RefusesWhatIsNoPairOfGraphs) {
  EXPECT_EQ(ErrorOf("[]"), "'[]' must be an object");
  EXPECT_EQ(ErrorOf("{\"float\": {}}"), "float: has no \"nodes\"");
}

TEST(GraphMapTest, WritesTheLayout) {
  const GraphLayout layout = LayOut(Graphs());
  const auto json = OrThrow(ParseJson(WriteJson(layout)));
  EXPECT_EQ(NumberMember(json, "width"), layout.width);
  EXPECT_EQ(NumberMember(*FindMember(json, "sizes"), "node_height"),
            layout.sizes.node_height);
  const auto& module = ArrayMember(json, "modules")[0];
  EXPECT_EQ(NumberMember(module, "parent"), -1);
  EXPECT_EQ(NumberMember(module, "float"), 2);
  const auto& cells = ArrayMember(json, "cells");
  ASSERT_EQ(cells.size(), 2U);
  EXPECT_EQ(cells[0], OrThrow(ParseJson(R"({"module": 0, "row": 0,
      "x": 0, "y": 0, "float": 0, "quantized": 0})")));
  EXPECT_EQ(FindMember(cells[1], "quantized"), nullptr);
}

}  // namespace
}  // namespace ns
