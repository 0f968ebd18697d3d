#include "ns/report/graph_json.h"

#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/parse_json.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
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

std::string Written(const DataFlowGraphs& graphs) {
  JsonWriter json;
  WriteGraphs(json, graphs);
  return std::move(json).Finish();
}

TEST(GraphJsonTest, WritesNodesAndEdges) {
  const auto json = OrThrow(ParseJson(Written(Graphs())));
  EXPECT_EQ(json["float"], OrThrow(ParseJson(R"text({
      "nodes": [{"id": 0, "fqn": "a", "name": "a", "op": "aten::conv2d",
                 "layer": "a"},
                {"id": 1, "fqn": "drop", "name": "drop (dropout)",
                 "op": "aten::dropout", "reason": "idle"}],
      "edges": [[0, 1]]})text")));
}

TEST(GraphJsonTest, ReadsWhatItWrote) {
  const auto read = ReadGraphs(OrThrow(ParseJson(Written(Graphs()))));
  ASSERT_TRUE(read.has_value());
  ASSERT_THAT(read->of_float.nodes, SizeIs(2));
  EXPECT_EQ(read->of_float.nodes[1].reason, "idle");
  EXPECT_EQ(read->of_float.nodes[0].layer, "a");
  EXPECT_THAT(read->of_float.edges, ElementsAre(Pair(0, 1)));
  EXPECT_EQ(Written(*read), Written(Graphs()));
}

TEST(GraphJsonTest, LeavesOutEdgesOfNoNode) {
  const auto read = ReadGraphs(OrThrow(ParseJson(
      R"({"float": {"nodes": [{}], "edges": [[0, 1], [-1, 0], [0], 5, ["a", 0]]},
          "quantized": {}})")));
  ASSERT_TRUE(read.has_value());
  EXPECT_THAT(read->of_float.nodes, SizeIs(1));
  EXPECT_THAT(read->of_float.edges, IsEmpty());
}

TEST(GraphJsonTest, WhatIsNoPairOfGraphsIsNone) {
  EXPECT_FALSE(ReadGraphs(OrThrow(ParseJson("[]"))).has_value());
  EXPECT_FALSE(ReadGraphs(OrThrow(ParseJson("{\"float\": {}}"))).has_value());
}

TEST(GraphJsonTest, WritesTheLayout) {
  const GraphLayout layout = LayOut(Graphs());
  const auto json = OrThrow(ParseJson(LayoutJson(layout)));
  EXPECT_EQ(json["width"], layout.width);
  EXPECT_EQ(json["sizes"]["node_height"], layout.sizes.node_height);
  EXPECT_EQ(json["modules"][0]["parent"], -1);
  EXPECT_EQ(json["modules"][0]["float"], 2);
  ASSERT_EQ(json["cells"].size(), 2);
  EXPECT_EQ(json["cells"][0], OrThrow(ParseJson(R"({"module": 0, "row": 0,
      "x": 0, "y": 0, "float": 0, "quantized": 0})")));
  EXPECT_FALSE(json["cells"][1].contains("quantized"));
}

}  // namespace
}  // namespace ns
