#include "ns/report/html/model_explorer.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/json/json_value.h"
#include "ir/json/parse_json.h"
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

llvm::json::Value Parsed(const ExportedFile& file) {
  return OrThrow(ParseJson(file.text));
}

TEST(ModelExplorerTest, WritesFilesThatHaveFigures) {
  EXPECT_THAT(OrThrow(ToModelExplorer(kReport)),
              ElementsAre(Field(&ExportedFile::name, "graphs.json"),
                          Field(&ExportedFile::name, "weight_sqnr_db.json"),
                          Field(&ExportedFile::name, "shadow_sqnr_db.json")));
}

TEST(ModelExplorerTest, GraphsHaveNamespacesAttributesAndEdges) {
  const llvm::json::Value json = Parsed(OrThrow(ToModelExplorer(kReport))[0]);
  const llvm::json::Array& graphs = *json.getAsArray();
  ASSERT_EQ(graphs.size(), 2U);
  EXPECT_EQ(TextMember(graphs[0], "id"), "float");
  EXPECT_EQ(TextMember(graphs[1], "id"), "quantized");
  const llvm::json::Array& nodes = ArrayMember(graphs[0], "nodes");
  EXPECT_EQ(nodes[0], OrThrow(ParseJson(R"json({
      "id": "0", "label": "linear", "namespace": "m/a",
      "attrs": [{"key": "name", "value": "a"},
                {"key": "op", "value": "aten::linear"},
                {"key": "weight SQNR (dB)", "value": "30.5"},
                {"key": "shadow SQNR (dB)", "value": "exact"}],
      "incomingEdges": []})json")));
  EXPECT_EQ(nodes[1], OrThrow(ParseJson(R"json({
      "id": "1", "label": "dropout", "namespace": "",
      "attrs": [{"key": "name", "value": "drop"},
                {"key": "op", "value": "aten::dropout"},
                {"key": "unmatched", "value": "idle"}],
      "incomingEdges": [{"sourceNodeId": "0", "sourceNodeOutputId": "0",
                         "targetNodeInputId": "0"}]})json")));
}

TEST(ModelExplorerTest, NodeDataHasFiniteNumbersAndAGradient) {
  const llvm::json::Value data = Parsed(OrThrow(ToModelExplorer(kReport))[2]);
  const llvm::json::Value& of_float = *FindMember(data, "float");
  EXPECT_EQ(*FindMember(of_float, "results"), OrThrow(ParseJson("{}")));
  const llvm::json::Value& of_quantized = *FindMember(data, "quantized");
  EXPECT_EQ(*FindMember(of_quantized, "results"),
            OrThrow(ParseJson(R"({"1": {"value": 12.25}})")));
  const llvm::json::Array& gradient = ArrayMember(of_quantized, "gradient");
  EXPECT_EQ(NumberMember(gradient.front(), "stop"), 0);
  EXPECT_EQ(NumberMember(gradient.back(), "stop"), 1);
}

TEST(ModelExplorerTest, OtherFilesAreErrors) {
  const auto error = [](absl::string_view json) {
    return std::string(ToModelExplorer(json).status().message());
  };
  EXPECT_THAT(error("{"), HasSubstr("line 1"));
  EXPECT_THAT(error("{\"schema\": \"ns.search/1\"}"), HasSubstr("schema"));
  EXPECT_THAT(error("{\"schema\": \"ns.compare/1\", \"layers\": []}"),
              HasSubstr("--graph"));
  EXPECT_THAT(error("{\"schema\": \"ns.compare/1\", \"graph\": {}}"),
              HasSubstr("graph: has no \"float\""));
}

}  // namespace
}  // namespace ns
