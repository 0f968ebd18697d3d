#include "ns/report/html/model_explorer.h"

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
#include "ir/base/status.h"
#include "ir/json/json_map.h"
#include "ir/json/json_value.h"
#include "ir/json/parse_json.h"
#include "ir/json/read_json.h"
#include "ir/json/write_json.h"
#include "ns/findings/figure_text.h"
#include "ns/findings/table_figures.h"
#include "ns/report/html/lowest_sqnr.h"
#include "ns/report/json/graph_map.h"
#include "ns/result/data_flow_graph.h"

namespace ns {
namespace {

using Json = llvm::json::Value;

constexpr absl::string_view kFigures[] = {"weight", "activation", "shadow"};

// Returns the SQNR of `figure` in dB; the lowest of several weights.
std::optional<double> SqnrOf(const Json& layer, absl::string_view figure) {
  const Json* member = FindMember(layer, figure);
  if (member == nullptr) {
    return std::nullopt;
  }
  const llvm::json::Array* weights = member->getAsArray();
  if (weights == nullptr) {
    return NumberMember(*member, "sqnr_db");
  }
  const std::optional<NamedDb> lowest = LowestSqnr(*weights);
  return lowest ? std::make_optional(lowest->db) : std::nullopt;
}

using NamedLayers = absl::flat_hash_map<std::string, const Json*>;

NamedLayers LayersByName(const Json& report) {
  NamedLayers layers;
  for (const Json& layer : ArrayMember(report, "layers")) {
    layers.emplace(TextMember(layer, "name"), &layer);
  }
  return layers;
}

const Json* LayerOf(const NamedLayers& layers, const DataFlowNode& node) {
  const auto found = layers.find(node.layer);
  return node.layer.empty() || found == layers.end() ? nullptr : found->second;
}

// The structs below are the objects of the format, members in its order.

struct ExplorerAttribute {
  std::string key;
  std::string value;
};

struct ExplorerEdge {
  std::string source;
  std::string input;
};

struct ExplorerNode {
  std::string id;
  std::string label;
  std::string module_path;
  std::vector<ExplorerAttribute> attributes;
  std::vector<ExplorerEdge> incoming;
};

struct ExplorerGraph {
  std::string id;
  std::vector<ExplorerNode> nodes;
};

struct GradientStop {
  double stop = 0;
  std::string color;
};

struct NodeFigure {
  double value = 0;
};

// Figures of nodes by their ids.
struct NodeResults {
  std::vector<std::pair<std::string, NodeFigure>> of_nodes;
};

struct GraphFigures {
  NodeResults results;
};

struct FiguresFile {
  GraphFigures of_float;
  GraphFigures of_quantized;
};

template <typename Io>
void Map(Io& io, ExplorerAttribute& attribute) {
  io("key", attribute.key);
  io("value", attribute.value);
}

template <typename Io>
void Map(Io& io, ExplorerEdge& edge) {
  io("sourceNodeId", edge.source);
  io.Derived("sourceNodeOutputId", [] { return std::string("0"); });
  io("targetNodeInputId", edge.input);
}

template <typename Io>
void Map(Io& io, ExplorerNode& node) {
  io("id", node.id);
  io("label", node.label);
  io("namespace", node.module_path);
  io("attrs", node.attributes);
  io("incomingEdges", node.incoming);
}

template <typename Io>
void Map(Io& io, ExplorerGraph& graph) {
  io("id", graph.id);
  io("nodes", graph.nodes);
}

template <typename Io>
void Map(Io& io, GradientStop& stop) {
  io("stop", stop.stop);
  io("bgColor", stop.color);
}

template <typename Io>
void Map(Io& io, NodeFigure& figure) {
  io("value", figure.value);
}

template <typename Io>
void Map(Io& io, NodeResults& results) {
  for (auto& [id, figure] : results.of_nodes) {
    io(id, figure);
  }
}

// From bad to good, for colour-blind eyes, too.
std::vector<GradientStop> Gradient() {
  return {{0, "#c2410c"}, {0.5, "#fde68a"}, {1, "#93c5fd"}};
}

template <typename Io>
void Map(Io& io, GraphFigures& figures) {
  io("results", figures.results);
  io.Derived("gradient", Gradient);
}

template <typename Io>
void Map(Io& io, FiguresFile& file) {
  io("float", file.of_float);
  io("quantized", file.of_quantized);
}

std::vector<ExplorerAttribute> AttributesOf(const DataFlowNode& node,
                                            const Json* layer) {
  std::vector<ExplorerAttribute> attributes;
  const auto add = [&](const std::string& key, const std::string& value) {
    if (!value.empty()) {
      attributes.push_back({key, value});
    }
  };
  add("name", node.name);
  add("op", node.op);
  add("unmatched", node.reason);
  for (const absl::string_view figure : kFigures) {
    const auto db = layer == nullptr ? std::nullopt : SqnrOf(*layer, figure);
    if (db) {
      add(absl::StrCat(figure, " SQNR (dB)"), FormatDb(db));
    }
  }
  return attributes;
}

ExplorerGraph GraphOf(const std::string& id, const DataFlowGraph& graph,
                      const NamedLayers& layers) {
  ExplorerGraph explorer = {id, {}};
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const DataFlowNode& node = graph.nodes[i];
    explorer.nodes.push_back(
        {absl::StrCat(i),
         node.op.empty() ? node.name : std::string(ShortOp(node.op)),
         absl::StrReplaceAll(node.fqn, {{".", "/"}}),
         AttributesOf(node, LayerOf(layers, node)),
         {}});
  }
  for (const auto& [from, to] : graph.edges) {
    std::vector<ExplorerEdge>& incoming = explorer.nodes[to].incoming;
    incoming.push_back({absl::StrCat(from), absl::StrCat(incoming.size())});
  }
  return explorer;
}

GraphFigures FiguresOf(const DataFlowGraph& graph, const NamedLayers& layers,
                       absl::string_view figure) {
  GraphFigures figures;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const Json* layer = LayerOf(layers, graph.nodes[i]);
    const auto db = layer == nullptr ? std::nullopt : SqnrOf(*layer, figure);
    if (db && std::isfinite(*db)) {
      figures.results.of_nodes.push_back({absl::StrCat(i), {*db}});
    }
  }
  return figures;
}

}  // namespace

absl::StatusOr<std::vector<ExportedFile>> ToModelExplorer(
    absl::string_view text) {
  NS_ASSIGN_OR_RETURN(const Json report, ParseJson(text));
  if (TextMember(report, "schema") != "ns.compare/1") {
    return absl::InvalidArgumentError(
        "is not of the schema ns.compare/1; pass what ns compare --json "
        "--graph writes");
  }
  const Json* graph = FindMember(report, "graph");
  if (graph == nullptr) {
    return absl::InvalidArgumentError(
        "has no graph; write it with ns compare --json --graph");
  }
  DataFlowGraphs graphs;
  NS_RETURN_IF_ERROR(Annotated("graph", ReadJson(*graph, graphs)));
  const NamedLayers layers = LayersByName(report);
  std::vector<ExportedFile> files;
  files.push_back(
      {"graphs.json", WriteJson(std::vector<ExplorerGraph>{
                          GraphOf("float", graphs.of_float, layers),
                          GraphOf("quantized", graphs.of_quantized, layers)})});
  for (const absl::string_view figure : kFigures) {
    const FiguresFile figures = {
        FiguresOf(graphs.of_float, layers, figure),
        FiguresOf(graphs.of_quantized, layers, figure)};
    if (!figures.of_float.results.of_nodes.empty() ||
        !figures.of_quantized.results.of_nodes.empty()) {
      files.push_back(
          {absl::StrCat(figure, "_sqnr_db.json"), WriteJson(figures)});
    }
  }
  return files;
}

}  // namespace ns
