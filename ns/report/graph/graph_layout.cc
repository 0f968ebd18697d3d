#include "ns/report/graph/graph_layout.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "ns/report/graph/layout_rows.h"
#include "ns/report/graph/merged_graph.h"
#include "ns/result/data_flow_graph.h"

namespace ns {
namespace {

constexpr size_t kRoot = 0;

// A module while the tree is built. An item is a module or a cell in it.
struct Item {
  bool is_module;
  size_t index;
};

struct TreeModule {
  std::vector<std::string> path;
  size_t parent = kRoot;
  std::vector<Item> items;
};

size_t CommonPrefix(const std::vector<std::string>& a,
                    const std::vector<std::string>& b) {
  return std::mismatch(a.begin(), a.begin() + std::min(a.size(), b.size()),
                       b.begin())
             .first -
         a.begin();
}

// Puts each cell into a module for each run of cells with the same path.
std::vector<TreeModule> TreeOf(const std::vector<MergedCell>& cells) {
  std::vector<TreeModule> tree(1);
  std::vector<size_t> open = {kRoot};
  for (size_t i = 0; i < cells.size(); ++i) {
    const std::vector<std::string>& path = cells[i].path;
    const size_t common = CommonPrefix(tree[open.back()].path, path);
    open.resize(common + 1);
    while (open.size() <= path.size()) {
      const size_t module = tree.size();
      tree[open.back()].items.push_back({true, module});
      tree.push_back(
          {{path.begin(), path.begin() + open.size()}, open.back(), {}});
      open.push_back(module);
    }
    tree[open.back()].items.push_back({false, i});
  }
  return tree;
}

// Replaces boxes that say nothing by what is in them: modules with one item. If
// that is a module, it keeps the longer path.
void DropSingleBoxes(std::vector<TreeModule>& tree) {
  // Modules come before those in them, so that inner ones are done first.
  for (size_t i = tree.size(); i-- > 0;) {
    for (Item& item : tree[i].items) {
      if (item.is_module && tree[item.index].items.size() == 1) {
        item = tree[item.index].items.front();
      }
    }
  }
}

// Fills a GraphLayout from the tree.
class Layouter {
 public:
  Layouter(const MergedGraph& graph, const LayoutSizes& sizes)
      : graph_(graph), tree_(TreeOf(graph.cells)) {
    layout_.sizes = sizes;
    DropSingleBoxes(tree_);
    for (const MergedCell& cell : graph.cells) {
      layout_.cells.push_back(
          {0, 0, 0, 0, cell.float_node, cell.quantized_node});
    }
    AddModules();
    AddEdges();
  }

  GraphLayout Run() && {
    for (size_t i = layout_.modules.size(); i-- > 0;) {
      Arrange(i);
    }
    for (size_t i = 0; i < layout_.modules.size(); ++i) {
      MoveItems(i);
    }
    layout_.width = layout_.modules[kRoot].width;
    layout_.height = layout_.modules[kRoot].height;
    return std::move(layout_);
  }

 private:
  // Adds the modules that are left, each before those in it.
  void AddModules() {
    std::vector<size_t> in_tree = {kRoot};
    layout_.modules.emplace_back();
    for (size_t i = 0; i < layout_.modules.size(); ++i) {
      items_.emplace_back();
      for (const Item& item : tree_[in_tree[i]].items) {
        if (!item.is_module) {
          layout_.cells[item.index].module = i;
          items_[i].push_back(item);
          continue;
        }
        LayoutModule module;
        module.path = absl::StrJoin(tree_[item.index].path, ".");
        module.parent = i;
        items_[i].push_back({true, layout_.modules.size()});
        layout_.modules.push_back(std::move(module));
        in_tree.push_back(item.index);
      }
    }
    place_of_module_.resize(layout_.modules.size());
    place_of_cell_.resize(layout_.cells.size());
    for (const std::vector<Item>& items : items_) {
      for (size_t i = 0; i < items.size(); ++i) {
        (items[i].is_module ? place_of_module_
                            : place_of_cell_)[items[i].index] = i;
      }
    }
    NumberCalls();
    CountNodes();
  }

  // Calls are counted in the order of execution, which cells have.
  void NumberCalls() {
    absl::flat_hash_map<std::string, int> calls;
    std::vector<bool> is_numbered(layout_.modules.size());
    is_numbered[kRoot] = true;
    for (const LayoutCell& cell : layout_.cells) {
      for (size_t i = cell.module; !is_numbered[i];
           i = *layout_.modules[i].parent) {
        is_numbered[i] = true;
        layout_.modules[i].call = calls[layout_.modules[i].path]++;
      }
    }
  }

  void CountNodes() {
    for (const LayoutCell& cell : layout_.cells) {
      LayoutModule& module = layout_.modules[cell.module];
      module.float_nodes += cell.float_node.has_value() ? 1 : 0;
      module.quantized_nodes += cell.quantized_node.has_value() ? 1 : 0;
    }
    for (size_t i = layout_.modules.size(); i-- > 1;) {
      const LayoutModule& module = layout_.modules[i];
      layout_.modules[*module.parent].float_nodes += module.float_nodes;
      layout_.modules[*module.parent].quantized_nodes += module.quantized_nodes;
    }
  }

  // Returns the modules around a cell, from the root on.
  std::vector<size_t> Around(size_t cell) const {
    std::vector<size_t> modules = {layout_.cells[cell].module};
    while (layout_.modules[modules.back()].parent.has_value()) {
      modules.push_back(*layout_.modules[modules.back()].parent);
    }
    std::reverse(modules.begin(), modules.end());
    return modules;
  }

  // Gives each edge to the innermost module that has both of its ends.
  void AddEdges() {
    edges_.resize(layout_.modules.size());
    for (const auto& [from, to] : graph_.edges) {
      const std::vector<size_t> a = Around(from);
      const std::vector<size_t> b = Around(to);
      size_t depth = 0;
      while (depth + 1 < std::min(a.size(), b.size()) &&
             a[depth + 1] == b[depth + 1]) {
        ++depth;
      }
      const auto place = [&](const std::vector<size_t>& around, size_t cell) {
        return depth + 1 < around.size() ? place_of_module_[around[depth + 1]]
                                         : place_of_cell_[cell];
      };
      edges_[a[depth]].emplace_back(place(a, from), place(b, to));
    }
  }

  int HeightOf(const Item& item) const {
    return item.is_module ? layout_.modules[item.index].height
                          : layout_.sizes.node_height;
  }

  // Lays out the items of a module, whose modules are done, with places that
  // are relative to it.
  void Arrange(size_t index) {
    LayoutModule& module = layout_.modules[index];
    const std::vector<Item>& items = items_[index];
    RowsInput input;
    input.gap = layout_.sizes.column_gap;
    input.edges = edges_[index];
    for (const Item& item : items) {
      input.widths.push_back(item.is_module ? layout_.modules[item.index].width
                                            : layout_.sizes.node_width);
    }
    const RowsOutput rows = ArrangeInRows(input);
    std::vector<int> heights(rows.row_count);
    for (size_t i = 0; i < items.size(); ++i) {
      int& height = heights[rows.rows[i]];
      height = std::max(height, HeightOf(items[i]));
    }
    const int padding = index == kRoot ? 0 : layout_.sizes.module_padding;
    int y = index == kRoot ? 0 : layout_.sizes.module_header + padding;
    std::vector<int> tops;
    for (const int height : heights) {
      tops.push_back(y);
      y += height + layout_.sizes.row_gap;
    }
    for (size_t i = 0; i < items.size(); ++i) {
      const int row = rows.rows[i];
      Move(items[i], padding + rows.lefts[i], tops[row]);
      (items[i].is_module ? layout_.modules[items[i].index].row
                          : layout_.cells[items[i].index].row) = row;
    }
    module.rows = rows.row_count;
    module.width = rows.width + 2 * padding;
    module.height = y - (heights.empty() ? 0 : layout_.sizes.row_gap) + padding;
  }

  void Move(const Item& item, int x, int y) {
    if (item.is_module) {
      layout_.modules[item.index].x += x;
      layout_.modules[item.index].y += y;
    } else {
      layout_.cells[item.index].x += x;
      layout_.cells[item.index].y += y;
    }
  }

  // Makes the places of the items of a module, which has its own, absolute.
  void MoveItems(size_t index) {
    for (const Item& item : items_[index]) {
      Move(item, layout_.modules[index].x, layout_.modules[index].y);
    }
  }

  const MergedGraph& graph_;
  std::vector<TreeModule> tree_;
  GraphLayout layout_;
  // By module of the layout: its items, whose modules are those of the layout,
  // and the edges among them.
  std::vector<std::vector<Item>> items_;
  std::vector<std::vector<std::pair<size_t, size_t>>> edges_;
  // The place among the items of the parent.
  std::vector<size_t> place_of_module_;
  std::vector<size_t> place_of_cell_;
};

}  // namespace

GraphLayout LayOut(const DataFlowGraphs& graphs, const LayoutSizes& sizes) {
  const MergedGraph merged = Merge(graphs);
  return Layouter(merged, sizes).Run();
}

}  // namespace ns
