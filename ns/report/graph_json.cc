#include "ns/report/graph_json.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "ns/report/json_view.h"

namespace ns {
namespace {

using Json = nlohmann::json;

void WriteGraph(JsonWriter& json, absl::string_view key,
                const DataFlowGraph& graph) {
  json.Key(key);
  json.BeginObject();
  json.Key("nodes");
  json.BeginArray();
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const DataFlowNode& node = graph.nodes[i];
    json.BeginObject();
    json.Member("id", static_cast<int64_t>(i));
    json.Member("fqn", node.fqn);
    json.Member("name", node.name);
    json.Member("op", node.op);
    if (!node.layer.empty()) {
      json.Member("layer", node.layer);
    }
    if (!node.reason.empty()) {
      json.Member("reason", node.reason);
    }
    json.EndObject();
  }
  json.EndArray();
  json.Key("edges");
  json.BeginArray();
  for (const auto& [from, to] : graph.edges) {
    json.Numbers(std::vector<int64_t>{static_cast<int64_t>(from),
                                      static_cast<int64_t>(to)});
  }
  json.EndArray();
  json.EndObject();
}

std::optional<size_t> IndexIn(const Json& value, size_t count) {
  if (!value.is_number_unsigned()) {
    return std::nullopt;
  }
  const auto index = *value.get_ptr<const Json::number_unsigned_t*>();
  return index < count ? std::make_optional<size_t>(index) : std::nullopt;
}

DataFlowGraph ReadGraph(const Json& json) {
  DataFlowGraph graph;
  for (const Json& node : ArrayMember(json, "nodes")) {
    graph.nodes.push_back({StringMember(node, "fqn"),
                           StringMember(node, "name"), StringMember(node, "op"),
                           StringMember(node, "layer"),
                           StringMember(node, "reason")});
  }
  for (const Json& edge : ArrayMember(json, "edges")) {
    if (!edge.is_array() || edge.size() != 2) {
      continue;
    }
    const auto from = IndexIn(edge[0], graph.nodes.size());
    const auto to = IndexIn(edge[1], graph.nodes.size());
    if (from && to) {
      graph.edges.emplace_back(*from, *to);
    }
  }
  return graph;
}

void WriteInt(JsonWriter& json, absl::string_view key, int64_t value) {
  json.Member(key, value);
}

void WriteModule(JsonWriter& json, const LayoutModule& module) {
  json.BeginObject();
  json.Member("path", module.path);
  WriteInt(json, "call", module.call);
  WriteInt(json, "parent",
           module.parent ? static_cast<int64_t>(*module.parent) : -1);
  WriteInt(json, "row", module.row);
  WriteInt(json, "rows", module.rows);
  WriteInt(json, "x", module.x);
  WriteInt(json, "y", module.y);
  WriteInt(json, "width", module.width);
  WriteInt(json, "height", module.height);
  WriteInt(json, "float", module.float_nodes);
  WriteInt(json, "quantized", module.quantized_nodes);
  json.EndObject();
}

void WriteCell(JsonWriter& json, const LayoutCell& cell) {
  json.BeginObject();
  WriteInt(json, "module", static_cast<int64_t>(cell.module));
  WriteInt(json, "row", cell.row);
  WriteInt(json, "x", cell.x);
  WriteInt(json, "y", cell.y);
  if (cell.float_node) {
    WriteInt(json, "float", static_cast<int64_t>(*cell.float_node));
  }
  if (cell.quantized_node) {
    WriteInt(json, "quantized", static_cast<int64_t>(*cell.quantized_node));
  }
  json.EndObject();
}

}  // namespace

void WriteGraphs(JsonWriter& json, const DataFlowGraphs& graphs) {
  json.BeginObject();
  WriteGraph(json, "float", graphs.of_float);
  WriteGraph(json, "quantized", graphs.of_quantized);
  json.EndObject();
}

std::optional<DataFlowGraphs> ReadGraphs(const Json& json) {
  const Json* of_float = Member(json, "float");
  const Json* of_quantized = Member(json, "quantized");
  if (of_float == nullptr || of_quantized == nullptr) {
    return std::nullopt;
  }
  return DataFlowGraphs{ReadGraph(*of_float), ReadGraph(*of_quantized)};
}

std::string LayoutJson(const GraphLayout& layout) {
  JsonWriter json;
  json.BeginObject();
  json.Key("sizes");
  json.BeginObject();
  WriteInt(json, "node_width", layout.sizes.node_width);
  WriteInt(json, "node_height", layout.sizes.node_height);
  WriteInt(json, "row_gap", layout.sizes.row_gap);
  WriteInt(json, "column_gap", layout.sizes.column_gap);
  WriteInt(json, "module_header", layout.sizes.module_header);
  WriteInt(json, "module_padding", layout.sizes.module_padding);
  WriteInt(json, "lane_gap", layout.sizes.lane_gap);
  json.EndObject();
  WriteInt(json, "width", layout.width);
  WriteInt(json, "height", layout.height);
  json.Key("modules");
  json.BeginArray();
  for (const LayoutModule& module : layout.modules) {
    WriteModule(json, module);
  }
  json.EndArray();
  json.Key("cells");
  json.BeginArray();
  for (const LayoutCell& cell : layout.cells) {
    WriteCell(json, cell);
  }
  json.EndArray();
  json.EndObject();
  return std::move(json).Finish();
}

}  // namespace ns
