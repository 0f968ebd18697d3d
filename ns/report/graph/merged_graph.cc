#include "ns/report/graph/merged_graph.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "ns/result/data_flow_graph.h"

namespace ns {
namespace {

// Files may hold any path. What is deeper is not told apart.
constexpr size_t kMaxDepth = 32;

std::vector<std::string> PathOf(absl::string_view fqn) {
  if (fqn.empty()) {
    return {};
  }
  return absl::StrSplit(fqn, absl::MaxSplits('.', kMaxDepth - 1));
}

// The cells in any order, and which one each node is in.
struct Cells {
  std::vector<MergedCell> cells;
  std::vector<size_t> of_float;
  std::vector<size_t> of_quantized;
  // What the cells are sorted by where edges leave a choice.
  std::vector<std::pair<size_t, size_t>> keys;
};

Cells CellsOf(const DataFlowGraphs& graphs) {
  Cells cells;
  absl::flat_hash_map<absl::string_view, size_t> cell_of_layer;
  for (size_t i = 0; i < graphs.of_quantized.nodes.size(); ++i) {
    const DataFlowNode& node = graphs.of_quantized.nodes[i];
    cells.of_quantized.push_back(i);
    if (!node.layer.empty()) {
      cell_of_layer.emplace(node.layer, i);
    }
    cells.cells.push_back({std::nullopt, i, PathOf(node.fqn)});
    cells.keys.emplace_back(i + 1, 0);
  }
  size_t last_matched = 0;  // 1 more than the cell, as in keys
  for (size_t i = 0; i < graphs.of_float.nodes.size(); ++i) {
    const DataFlowNode& node = graphs.of_float.nodes[i];
    const auto found = cell_of_layer.find(node.layer);
    std::vector<std::string> path = PathOf(node.fqn);
    if (!node.layer.empty() && found != cell_of_layer.end() &&
        !cells.cells[found->second].float_node) {
      MergedCell& cell = cells.cells[found->second];
      cell.float_node = i;
      if (path.size() > cell.path.size()) {
        cell.path = std::move(path);
      }
      cells.of_float.push_back(found->second);
      last_matched = found->second + 1;
      continue;
    }
    cells.of_float.push_back(cells.cells.size());
    cells.cells.push_back({i, std::nullopt, std::move(path)});
    cells.keys.emplace_back(last_matched, i + 1);
  }
  return cells;
}

using Edges = std::vector<std::pair<size_t, size_t>>;

void AddEdges(const DataFlowGraph& graph, const std::vector<size_t>& cell_of,
              Edges& edges) {
  for (const auto& [from, to] : graph.edges) {
    if (from < cell_of.size() && to < cell_of.size() &&
        cell_of[from] != cell_of[to]) {
      edges.emplace_back(cell_of[from], cell_of[to]);
    }
  }
}

// Returns the cells so that edges lead from earlier to later ones, by their
// keys otherwise. Of cells that are in a cycle the one with the least key comes
// first.
std::vector<size_t> Sorted(const Cells& cells, const Edges& edges) {
  const size_t count = cells.cells.size();
  std::vector<std::vector<size_t>> followers(count);
  std::vector<size_t> waits_for(count);
  for (const auto& [from, to] : edges) {
    followers[from].push_back(to);
    ++waits_for[to];
  }
  using Entry = std::pair<std::pair<size_t, size_t>, size_t>;
  std::set<Entry> ready;
  std::set<Entry> left;
  for (size_t i = 0; i < count; ++i) {
    left.emplace(cells.keys[i], i);
    if (waits_for[i] == 0) {
      ready.emplace(cells.keys[i], i);
    }
  }
  std::vector<size_t> order;
  while (!left.empty()) {
    const Entry next = ready.empty() ? *left.begin() : *ready.begin();
    ready.erase(next);
    left.erase(next);
    order.push_back(next.second);
    for (const size_t follower : followers[next.second]) {
      const Entry entry = {cells.keys[follower], follower};
      if (--waits_for[follower] == 0 && left.count(entry) > 0) {
        ready.insert(entry);
      }
    }
  }
  return order;
}

bool StartsWith(const std::vector<std::string>& path,
                const std::vector<std::string>& prefix) {
  return prefix.size() <= path.size() &&
         std::equal(prefix.begin(), prefix.end(), path.begin());
}

// Moves each cell into the innermost module that has both of its neighbours, if
// it stands in a module around that. Other such cells are no neighbours.
void MoveInwards(std::vector<MergedCell>& cells) {
  constexpr size_t kMostBetween = 8;
  for (size_t i = 1; i + 1 < cells.size(); ++i) {
    const std::vector<std::string>& before = cells[i - 1].path;
    size_t next = i + 1;
    while (next + 1 < cells.size() && next - i < kMostBetween &&
           StartsWith(before, cells[next].path) &&
           cells[next].path.size() < before.size()) {
      ++next;
    }
    const std::vector<std::string>& behind = cells[next].path;
    const size_t least = std::min(before.size(), behind.size());
    const auto end =
        std::mismatch(before.begin(), before.begin() + least, behind.begin())
            .first;
    const std::vector<std::string> common(before.begin(), end);
    if (StartsWith(common, cells[i].path)) {
      cells[i].path = common;
    }
  }
}

}  // namespace

MergedGraph Merge(const DataFlowGraphs& graphs) {
  Cells cells = CellsOf(graphs);
  Edges edges;
  AddEdges(graphs.of_float, cells.of_float, edges);
  AddEdges(graphs.of_quantized, cells.of_quantized, edges);
  absl::c_sort(edges);
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  const std::vector<size_t> order = Sorted(cells, edges);
  std::vector<size_t> place(order.size());
  MergedGraph merged;
  for (size_t i = 0; i < order.size(); ++i) {
    place[order[i]] = i;
    merged.cells.push_back(std::move(cells.cells[order[i]]));
  }
  for (const auto& [from, to] : edges) {
    if (place[from] < place[to]) {
      merged.edges.emplace_back(place[from], place[to]);
    }
  }
  MoveInwards(merged.cells);
  return merged;
}

}  // namespace ns
