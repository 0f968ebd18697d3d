#include "ns/report/model_explorer.h"

#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "ir/parse_json.h"
#include "ir/status.h"
#include "ns/report/figure_text.h"
#include "ns/report/graph_json.h"
#include "ns/report/json_view.h"
#include "ns/report/json_writer.h"
#include "ns/report/table_figures.h"
#include "ns/suite/data_flow_graph.h"

namespace ns {
namespace {

using Json = nlohmann::json;

constexpr absl::string_view kFigures[] = {"weight", "activation", "shadow"};

// From bad to good, for colour-blind eyes, too.
constexpr std::pair<double, absl::string_view> kGradient[] = {
    {0, "#c2410c"}, {0.5, "#fde68a"}, {1, "#93c5fd"}};

// Returns the SQNR of `figure` in dB; the lowest of several weights.
std::optional<double> SqnrOf(const Json& layer, absl::string_view figure) {
  const Json* member = Member(layer, figure);
  if (member == nullptr) {
    return std::nullopt;
  }
  if (!member->is_array()) {
    return NumberMember(*member, "sqnr_db");
  }
  const std::optional<NamedDb> lowest = LowestSqnr(*member);
  return lowest ? std::make_optional(lowest->db) : std::nullopt;
}

using NamedLayers = absl::flat_hash_map<std::string, const Json*>;

NamedLayers LayersByName(const Json& report) {
  NamedLayers layers;
  for (const Json& layer : ArrayMember(report, "layers")) {
    layers.emplace(StringMember(layer, "name"), &layer);
  }
  return layers;
}

const Json* LayerOf(const NamedLayers& layers, const DataFlowNode& node) {
  const auto found = layers.find(node.layer);
  return node.layer.empty() || found == layers.end() ? nullptr : found->second;
}

void WriteAttribute(JsonWriter& json, absl::string_view key,
                    const std::string& value) {
  if (value.empty()) {
    return;
  }
  json.BeginObject();
  json.Member("key", key);
  json.Member("value", value);
  json.EndObject();
}

void WriteAttributes(JsonWriter& json, const DataFlowNode& node,
                     const Json* layer) {
  json.Key("attrs");
  json.BeginArray();
  WriteAttribute(json, "name", node.name);
  WriteAttribute(json, "op", node.op);
  WriteAttribute(json, "unmatched", node.reason);
  for (const absl::string_view figure : kFigures) {
    const auto db = layer == nullptr ? std::nullopt : SqnrOf(*layer, figure);
    if (db) {
      WriteAttribute(json, absl::StrCat(figure, " SQNR (dB)"), FormatDb(db));
    }
  }
  json.EndArray();
}

void WriteEdges(JsonWriter& json, const std::vector<size_t>& sources) {
  json.Key("incomingEdges");
  json.BeginArray();
  for (size_t i = 0; i < sources.size(); ++i) {
    json.BeginObject();
    json.Member("sourceNodeId", absl::StrCat(sources[i]));
    json.Member("sourceNodeOutputId", "0");
    json.Member("targetNodeInputId", absl::StrCat(i));
    json.EndObject();
  }
  json.EndArray();
}

void WriteGraph(JsonWriter& json, absl::string_view id,
                const DataFlowGraph& graph, const NamedLayers& layers) {
  std::vector<std::vector<size_t>> sources(graph.nodes.size());
  for (const auto& [from, to] : graph.edges) {
    sources[to].push_back(from);
  }
  json.BeginObject();
  json.Member("id", id);
  json.Key("nodes");
  json.BeginArray();
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const DataFlowNode& node = graph.nodes[i];
    json.BeginObject();
    json.Member("id", absl::StrCat(i));
    json.Member("label", node.op.empty() ? absl::string_view(node.name)
                                         : ShortOp(node.op));
    json.Member("namespace", absl::StrReplaceAll(node.fqn, {{".", "/"}}));
    WriteAttributes(json, node, LayerOf(layers, node));
    WriteEdges(json, sources[i]);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
}

// Writes the node data of one graph and returns whether there is any.
bool WriteNodeData(JsonWriter& json, absl::string_view id,
                   const DataFlowGraph& graph, const NamedLayers& layers,
                   absl::string_view figure) {
  bool has_figures = false;
  json.Key(id);
  json.BeginObject();
  json.Key("results");
  json.BeginObject();
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const Json* layer = LayerOf(layers, graph.nodes[i]);
    const auto db = layer == nullptr ? std::nullopt : SqnrOf(*layer, figure);
    if (db && std::isfinite(*db)) {
      has_figures = true;
      json.Key(absl::StrCat(i));
      json.BeginObject();
      json.Member("value", *db);
      json.EndObject();
    }
  }
  json.EndObject();
  json.Key("gradient");
  json.BeginArray();
  for (const auto& [stop, color] : kGradient) {
    json.BeginObject();
    json.Member("stop", stop);
    json.Member("bgColor", color);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  return has_figures;
}

}  // namespace

absl::StatusOr<std::vector<ExportedFile>> ToModelExplorer(
    absl::string_view text) {
  NS_ASSIGN_OR_RETURN(const Json report, ParseJson(text));
  if (StringMember(report, "schema") != "ns.compare/1") {
    return absl::InvalidArgumentError(
        "is not of the schema ns.compare/1; pass what ns compare --json "
        "--graph writes");
  }
  const Json* graph = Member(report, "graph");
  const std::optional<DataFlowGraphs> graphs =
      graph == nullptr ? std::nullopt : ReadGraphs(*graph);
  if (!graphs) {
    return absl::InvalidArgumentError(
        "has no graph; write it with ns compare --json --graph");
  }
  const NamedLayers layers = LayersByName(report);
  std::vector<ExportedFile> files;
  JsonWriter json;
  json.BeginArray();
  WriteGraph(json, "float", graphs->of_float, layers);
  WriteGraph(json, "quantized", graphs->of_quantized, layers);
  json.EndArray();
  files.push_back({"graphs.json", std::move(json).Finish()});
  for (const absl::string_view figure : kFigures) {
    JsonWriter data;
    data.BeginObject();
    const bool of_float =
        WriteNodeData(data, "float", graphs->of_float, layers, figure);
    const bool of_quantized =
        WriteNodeData(data, "quantized", graphs->of_quantized, layers, figure);
    data.EndObject();
    if (of_float || of_quantized) {
      files.push_back(
          {absl::StrCat(figure, "_sqnr_db.json"), std::move(data).Finish()});
    }
  }
  return files;
}

}  // namespace ns
