// Describes the JSON of data flow graphs and of their layout.
#ifndef NS_REPORT_JSON_GRAPH_MAP_H_
#define NS_REPORT_JSON_GRAPH_MAP_H_

#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/algorithm/container.h"
#include "ir/json/json_map.h"
#include "ns/report/graph/graph_layout.h"
#include "ns/result/data_flow_graph.h"

namespace ns {

// A node, and its index.
struct NumberedNode {
  int64_t id = 0;
  DataFlowNode node;
};

template <typename Io>
void Map(Io& io, NumberedNode& numbered) {
  io.Derived("id", [&] { return numbered.id; });
  io("fqn", numbered.node.fqn);
  io("name", numbered.node.name);
  io("op", numbered.node.op);
  io.Optional("layer", numbered.node.layer);
  io.Optional("reason", numbered.node.reason);
}

template <typename Io>
void Map(Io& io, DataFlowGraph& graph) {
  std::vector<NumberedNode> nodes;
  for (const DataFlowNode& node : graph.nodes) {
    nodes.push_back({static_cast<int64_t>(nodes.size()), node});
  }
  io("nodes", nodes);
  io("edges", graph.edges);
  const auto is_node = [&](size_t index) { return index < nodes.size(); };
  io.Check(absl::c_all_of(graph.edges,
                          [&](const auto& edge) {
                            return is_node(edge.first) && is_node(edge.second);
                          }),
           "a graph whose edges name its nodes");
  if constexpr (Io::kReads) {
    for (NumberedNode& numbered : nodes) {
      graph.nodes.push_back(std::move(numbered.node));
    }
  }
}

template <typename Io>
void Map(Io& io, DataFlowGraphs& graphs) {
  io("float", graphs.of_float);
  io("quantized", graphs.of_quantized);
}

template <typename Io>
void Map(Io& io, LayoutSizes& sizes) {
  io("node_width", sizes.node_width);
  io("node_height", sizes.node_height);
  io("row_gap", sizes.row_gap);
  io("column_gap", sizes.column_gap);
  io("module_header", sizes.module_header);
  io("module_padding", sizes.module_padding);
  io("lane_gap", sizes.lane_gap);
}

// A module without a parent has the parent -1.
template <typename Io>
void Map(Io& io, LayoutModule& module) {
  io("path", module.path);
  io("call", module.call);
  io.Derived("parent", [&] {
    return module.parent ? static_cast<int64_t>(*module.parent) : -1;
  });
  io("row", module.row);
  io("rows", module.rows);
  io("x", module.x);
  io("y", module.y);
  io("width", module.width);
  io("height", module.height);
  io("float", module.float_nodes);
  io("quantized", module.quantized_nodes);
}

template <typename Io>
void Map(Io& io, LayoutCell& cell) {
  io("module", cell.module);
  io("row", cell.row);
  io("x", cell.x);
  io("y", cell.y);
  io.Optional("float", cell.float_node);
  io.Optional("quantized", cell.quantized_node);
}

template <typename Io>
void Map(Io& io, GraphLayout& layout) {
  io("sizes", layout.sizes);
  io("width", layout.width);
  io("height", layout.height);
  io("modules", layout.modules);
  io("cells", layout.cells);
}

}  // namespace ns

#endif  // NS_REPORT_JSON_GRAPH_MAP_H_
