#include "ns/report/model_explorer.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/parse_json.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;

constexpr absl::string_view kReport = R"json({
  "schema": "ns.compare/1",
  "layers": [
    {"name": "a", "weight": [{"sqnr_db": 40.0}, {"sqnr_db": 30.5}],
     "shadow": {"sqnr_db": "inf"}},
    {"name": "b", "shadow": {"sqnr_db": 12.25}}],
  "graph": {
    "float": {
      "nodes": [{"fqn": "m.a", "name": "a", "op": "aten::linear", "layer": "a"},
                {"fqn": "", "name": "drop", "op": "aten::dropout",
                 "reason": "idle"}],
      "edges": [[0, 1]]},
    "quantized": {
      "nodes": [{"fqn": "m.a", "name": "a", "op": "quantized::linear",
                 "layer": "a"},
                {"fqn": "m.b", "name": "b", "op": "quantized::add",
                 "layer": "b"}],
      "edges": [[0, 1]]}}})json";

nlohmann::json Parsed(const ExportedFile& file) {
  return OrThrow(ParseJson(file.text));
}

TEST(ModelExplorerTest, WritesFilesThatHaveFigures) {
  EXPECT_THAT(OrThrow(ToModelExplorer(kReport)),
              ElementsAre(Field(&ExportedFile::name, "graphs.json"),
                          Field(&ExportedFile::name, "weight_sqnr_db.json"),
                          Field(&ExportedFile::name, "shadow_sqnr_db.json")));
}

TEST(ModelExplorerTest, GraphsHaveNamespacesAttributesAndEdges) {
  const nlohmann::json graphs = Parsed(OrThrow(ToModelExplorer(kReport))[0]);
  ASSERT_EQ(graphs.size(), 2);
  EXPECT_EQ(graphs[0]["id"], "float");
  EXPECT_EQ(graphs[1]["id"], "quantized");
  EXPECT_EQ(graphs[0]["nodes"][0], OrThrow(ParseJson(R"json({
      "id": "0", "label": "linear", "namespace": "m/a",
      "attrs": [{"key": "name", "value": "a"},
                {"key": "op", "value": "aten::linear"},
                {"key": "weight SQNR (dB)", "value": "30.5"},
                {"key": "shadow SQNR (dB)", "value": "exact"}],
      "incomingEdges": []})json")));
  EXPECT_EQ(graphs[0]["nodes"][1], OrThrow(ParseJson(R"json({
      "id": "1", "label": "dropout", "namespace": "",
      "attrs": [{"key": "name", "value": "drop"},
                {"key": "op", "value": "aten::dropout"},
                {"key": "unmatched", "value": "idle"}],
      "incomingEdges": [{"sourceNodeId": "0", "sourceNodeOutputId": "0",
                         "targetNodeInputId": "0"}]})json")));
}

TEST(ModelExplorerTest, NodeDataHasFiniteNumbersAndAGradient) {
  const nlohmann::json data = Parsed(OrThrow(ToModelExplorer(kReport))[2]);
  EXPECT_EQ(data["float"]["results"], nlohmann::json::object());
  EXPECT_EQ(data["quantized"]["results"],
            OrThrow(ParseJson(R"({"1": {"value": 12.25}})")));
  EXPECT_EQ(data["quantized"]["gradient"].front()["stop"], 0);
  EXPECT_EQ(data["quantized"]["gradient"].back()["stop"], 1);
}

TEST(ModelExplorerTest, OtherFilesAreErrors) {
  const auto error = [](absl::string_view json) {
    return std::string(ToModelExplorer(json).status().message());
  };
  EXPECT_THAT(error("{"), HasSubstr("line 1"));
  EXPECT_THAT(error("{\"schema\": \"ns.search/1\"}"), HasSubstr("schema"));
  EXPECT_THAT(error("{\"schema\": \"ns.compare/1\", \"layers\": []}"),
              HasSubstr("--graph"));
}

}  // namespace
}  // namespace ns
