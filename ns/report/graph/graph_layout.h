// Lays out the data flow of two models in lanes, so that a page only draws.
//
// Both lanes share one layout. A *cell* is a place that both have: the two
// sides of a matched layer stand in one cell and so are level; an unmatched op
// has a cell alone, and the other lane is empty there. Cells are grouped in
// *modules*, boxes by the module paths of the ops, in modules of modules. The
// items of a module, cells and modules, stand in *rows*.
//
// Rows come from the longest path of the edges among the items; the order in a
// row from barycentres of neighbours, and the places from their medians
// (Sugiyama, Tagawa, Toda, "Methods for Visual Understanding of Hierarchical
// System Structures", 1981). Each module is laid out by itself, its modules
// being boxes that are expanded.
//
// A page can collapse modules without any layouting: x never changes, and
//
//   height of a module = header + padding + sum of row heights + gaps + padding
//   height of a row    = the largest height of its items
//
// where a collapsed module is as high as a node, and the root has neither
// header nor padding.
#ifndef NS_REPORT_GRAPH_GRAPH_LAYOUT_H_
#define NS_REPORT_GRAPH_GRAPH_LAYOUT_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "ns/result/data_flow_graph.h"

namespace ns {

// All sizes are in px.
struct LayoutSizes {
  int node_width = 176;
  int node_height = 40;
  int row_gap = 28;
  int column_gap = 16;
  int module_header = 24;
  int module_padding = 12;
  int lane_gap = 64;
};

struct LayoutModule {
  // The module path; empty for the root, which is the first module.
  std::string path;
  // How many boxes of this path come before: a module that is called again has
  // a box for each call, and so has one that other ops interrupt.
  int call = 0;
  // The index of the module around it; absent for the root.
  std::optional<size_t> parent;
  // The row in its parent, and the number of rows that it has itself.
  int row = 0;
  int rows = 0;
  // The box in a lane, with everything expanded.
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;
  // How many nodes of each model are in it.
  int float_nodes = 0;
  int quantized_nodes = 0;
};

struct LayoutCell {
  // The index of the module that it is in, and its row there.
  size_t module = 0;
  int row = 0;
  // Its left top corner in a lane, with everything expanded.
  int x = 0;
  int y = 0;
  // Indices of the nodes in it; at least one is there.
  std::optional<size_t> float_node;
  std::optional<size_t> quantized_node;
};

struct GraphLayout {
  LayoutSizes sizes;
  // The size of one lane.
  int width = 0;
  int height = 0;
  // A module comes before the modules in it.
  std::vector<LayoutModule> modules;
  // In order of execution.
  std::vector<LayoutCell> cells;
};

// Returns the layout of two graphs, always the same for the same graphs. No two
// items overlap, and edges go down, from a smaller y to a larger one: all but
// those between layers that the two models run in different orders. Edges that
// name no node are ignored. A module with a single cell is no box of its own,
// and one with nothing but another module is one box with it. More than 8 items
// side by side are broken into several rows.
GraphLayout LayOut(const DataFlowGraphs& graphs, const LayoutSizes& sizes = {});

}  // namespace ns

#endif  // NS_REPORT_GRAPH_GRAPH_LAYOUT_H_
