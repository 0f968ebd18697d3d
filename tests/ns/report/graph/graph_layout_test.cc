#include "ns/report/graph/graph_layout.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

DataFlowNode Layer(const std::string& fqn, const std::string& layer) {
  return {fqn, layer, "aten::conv2d", layer, ""};
}

// A chain of layers with the given module paths.
DataFlowGraph Chain(const std::vector<std::string>& fqns) {
  DataFlowGraph graph;
  for (size_t i = 0; i < fqns.size(); ++i) {
    graph.nodes.push_back(Layer(fqns[i], absl::StrCat("layer", i)));
    if (i > 0) {
      graph.edges.emplace_back(i - 1, i);
    }
  }
  return graph;
}

// Returns "path call rows" of each module.
std::vector<std::string> Modules(const GraphLayout& layout) {
  std::vector<std::string> lines;
  for (const LayoutModule& module : layout.modules) {
    lines.push_back(
        absl::StrCat(module.path, " ", module.call, " ", module.rows));
  }
  return lines;
}

struct Box {
  std::optional<size_t> parent;
  int row;
  int left, top, right, bottom;
};

// All modules, then all cells.
std::vector<Box> Boxes(const GraphLayout& layout) {
  std::vector<Box> boxes;
  for (const LayoutModule& module : layout.modules) {
    boxes.push_back({module.parent, module.row, module.x, module.y,
                     module.x + module.width, module.y + module.height});
  }
  for (const LayoutCell& cell : layout.cells) {
    boxes.push_back({cell.module, cell.row, cell.x, cell.y,
                     cell.x + layout.sizes.node_width,
                     cell.y + layout.sizes.node_height});
  }
  return boxes;
}

void ExpectNoOverlaps(const GraphLayout& layout) {
  const std::vector<Box> boxes = Boxes(layout);
  for (size_t i = 1; i < boxes.size(); ++i) {
    const Box& outer = boxes[*boxes[i].parent];
    EXPECT_TRUE(outer.left <= boxes[i].left && boxes[i].right <= outer.right &&
                outer.top <= boxes[i].top && boxes[i].bottom <= outer.bottom)
        << "box " << i << " leaves its module";
    for (size_t j = 1; j < i; ++j) {
      const bool are_beside = boxes[i].parent == boxes[j].parent;
      const bool overlap =
          boxes[i].left < boxes[j].right && boxes[j].left < boxes[i].right &&
          boxes[i].top < boxes[j].bottom && boxes[j].top < boxes[i].bottom;
      ASSERT_FALSE(are_beside && overlap) << i << " and " << j;
    }
  }
}

std::vector<int> TopsOf(const GraphLayout& layout, bool of_float,
                        size_t count) {
  std::vector<int> tops(count, -1);
  for (const LayoutCell& cell : layout.cells) {
    if (const auto node = of_float ? cell.float_node : cell.quantized_node) {
      EXPECT_EQ(tops[*node], -1) << "node " << *node << " has two places";
      tops[*node] = cell.y;
    }
  }
  return tops;
}

void ExpectEdgesGoDown(const GraphLayout& layout, const DataFlowGraph& graph,
                       bool of_float) {
  const std::vector<int> tops = TopsOf(layout, of_float, graph.nodes.size());
  EXPECT_EQ(std::count(tops.begin(), tops.end(), -1), 0);
  for (const auto& [from, to] : graph.edges) {
    ASSERT_LT(tops[from], tops[to]) << from << " -> " << to;
  }
}

// The rule by which a page restacks modules gives the places of the layout.
void ExpectStacked(const GraphLayout& layout) {
  const std::vector<Box> boxes = Boxes(layout);
  for (size_t m = 0; m < layout.modules.size(); ++m) {
    const LayoutModule& module = layout.modules[m];
    std::vector<int> heights(module.rows);
    for (size_t i = 1; i < boxes.size(); ++i) {
      if (boxes[i].parent == m) {
        int& height = heights[boxes[i].row];
        height = std::max(height, boxes[i].bottom - boxes[i].top);
      }
    }
    const int padding = m == 0 ? 0 : layout.sizes.module_padding;
    int top = module.y + (m == 0 ? 0 : layout.sizes.module_header + padding);
    for (int row = 0; row < module.rows; ++row) {
      for (size_t i = 1; i < boxes.size(); ++i) {
        if (boxes[i].parent == m && boxes[i].row == row) {
          EXPECT_EQ(boxes[i].top, top);
        }
      }
      top += heights[row] + (row + 1 < module.rows ? layout.sizes.row_gap : 0);
    }
    EXPECT_EQ(module.y + module.height, top + padding);
  }
}

void ExpectGoodLayout(const DataFlowGraphs& graphs) {
  const GraphLayout layout = LayOut(graphs);
  ExpectNoOverlaps(layout);
  ExpectStacked(layout);
  ExpectEdgesGoDown(layout, graphs.of_float, true);
  ExpectEdgesGoDown(layout, graphs.of_quantized, false);
}

// Of the modules that are called several times, also where one of the calls
// has a box of its own further out.
TEST(GraphLayoutTest, CallsAreCountedInTheOrderOfExecution) {
  const DataFlowGraph graph =
      Chain({"a.b", "a.b", "a.c", "a.c", "d", "d", "a.b", "a.b"});
  const GraphLayout layout = LayOut({graph, graph});
  std::vector<std::string> calls;
  for (const size_t cell : {0, 6}) {
    const LayoutModule& module = layout.modules[layout.cells[cell].module];
    calls.push_back(absl::StrCat(module.path, " ", module.call));
  }
  EXPECT_THAT(calls, ElementsAre("a.b 0", "a.b 1"));
}

TEST(GraphLayoutTest, NothingHasOnlyARoot) {
  const GraphLayout layout = LayOut({});
  EXPECT_THAT(layout.cells, IsEmpty());
  EXPECT_THAT(layout.modules, SizeIs(1));
  EXPECT_EQ(layout.width, 0);
  EXPECT_EQ(layout.height, 0);
}

TEST(GraphLayoutTest, OneNodeIsAsLargeAsItself) {
  const GraphLayout layout = LayOut({Chain({"fc"}), Chain({"fc"})});
  EXPECT_THAT(layout.modules, SizeIs(1));
  ASSERT_THAT(layout.cells, SizeIs(1));
  EXPECT_EQ(layout.cells[0].float_node, 0);
  EXPECT_EQ(layout.cells[0].quantized_node, 0);
  EXPECT_EQ(layout.width, layout.sizes.node_width);
  EXPECT_EQ(layout.height, layout.sizes.node_height);
}

TEST(GraphLayoutTest, GroupsByModulesThatHoldSeveral) {
  const DataFlowGraph chain =
      Chain({"stem", "layer1.0.conv1", "layer1.0.conv2", "layer1.1.conv1",
             "layer1.1.conv2", "layer2.0.conv1", "layer2.0.conv2", "fc"});
  const GraphLayout layout = LayOut({chain, chain});
  EXPECT_THAT(Modules(layout), ElementsAre(" 0 4", "layer1 0 2", "layer2.0 0 2",
                                           "layer1.0 0 2", "layer1.1 0 2"));
  EXPECT_EQ(layout.modules[1].float_nodes, 4);
  EXPECT_EQ(layout.modules[1].quantized_nodes, 4);
  ExpectGoodLayout({chain, chain});
}

TEST(GraphLayoutTest, AModuleThatRunsAgainHasABoxForEachCall) {
  const DataFlowGraph chain =
      Chain({"a.x", "a.y", "b", "c", "a.x", "a.y", "d"});
  EXPECT_THAT(Modules(LayOut({chain, chain})),
              ElementsAre(" 0 5", "a 0 2", "a 1 2"));
  ExpectGoodLayout({chain, chain});
}

TEST(GraphLayoutTest, MatchedNodesAreLevel) {
  DataFlowGraph quantized = Chain({"a", "b", "c"});
  DataFlowGraph of_float = quantized;
  of_float.nodes.insert(of_float.nodes.begin() + 1,
                        {"drop", "drop", "aten::dropout", "", "idle"});
  of_float.edges = {{0, 1}, {1, 2}, {2, 3}};
  const GraphLayout layout = LayOut({of_float, quantized});
  const std::vector<int> of_floats = TopsOf(layout, true, 4);
  const std::vector<int> of_quantized = TopsOf(layout, false, 3);
  EXPECT_EQ(of_floats[0], of_quantized[0]);
  EXPECT_EQ(of_floats[2], of_quantized[1]);
  EXPECT_EQ(of_floats[3], of_quantized[2]);
  ExpectGoodLayout({of_float, quantized});
}

TEST(GraphLayoutTest, SwappedLayersDoNotHang) {
  DataFlowGraph swapped = Chain({"a", "b", "c"});
  std::swap(swapped.nodes[0], swapped.nodes[2]);
  const DataFlowGraphs graphs = {Chain({"a", "b", "c"}), swapped};
  const GraphLayout layout = LayOut(graphs);
  ExpectNoOverlaps(layout);
  ExpectStacked(layout);
  ExpectEdgesGoDown(layout, graphs.of_quantized, false);
}

TEST(GraphLayoutTest, CyclesOfBrokenFilesDoNotHang) {
  DataFlowGraph graph = Chain({"a.x", "b.x", "a.y", "b.y"});
  graph.edges = {{0, 1}, {1, 0}, {2, 2}, {3, 0}, {1, 3}, {0, 9}};
  ExpectNoOverlaps(LayOut({graph, graph}));
}

TEST(GraphLayoutTest, ManyBranchesAreBrokenIntoRows) {
  DataFlowGraph graph = Chain(std::vector<std::string>(102, "head"));
  graph.edges.clear();
  for (size_t i = 1; i < 101; ++i) {
    graph.edges.emplace_back(0, i);
    graph.edges.emplace_back(i, 101);
  }
  EXPECT_LE(LayOut({graph, graph}).width, 8 * 200);
  ExpectGoodLayout({graph, graph});
}

// A random network: modules of modules, residuals, some ops of one model only.
DataFlowGraphs RandomGraphs(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  DataFlowGraphs graphs;
  const auto add = [&](DataFlowGraph& graph, const DataFlowNode& node) {
    const size_t to = graph.nodes.size();
    graph.nodes.push_back(node);
    if (to > 0) {
      graph.edges.emplace_back(to - 1, to);
      if (random() % 4 == 0) {
        graph.edges.emplace_back(to - 1 - random() % std::min<size_t>(to, 9),
                                 to);
      }
    }
  };
  for (size_t i = 0; i < count; ++i) {
    const std::string path =
        absl::StrCat("stage", i / 50, ".block", i / 5 % 10, ".conv", i % 5);
    DataFlowNode node = Layer(i % 7 == 0 ? "" : path, absl::StrCat(i));
    const unsigned kind = random() % 10;
    if (kind < 2) {
      node.layer = "";
      node.reason = "no counterpart";
    }
    if (kind != 0) {
      add(graphs.of_float, node);
    }
    if (kind != 1) {
      add(graphs.of_quantized, node);
    }
  }
  return graphs;
}

TEST(GraphLayoutTest, RandomGraphsHaveGoodLayouts) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    ExpectGoodLayout(RandomGraphs(10 + 12 * seed, seed));
  }
}

TEST(GraphLayoutTest, TheSameGraphsHaveTheSameLayout) {
  const DataFlowGraphs graphs = RandomGraphs(300, 1);
  const std::vector<Box> first = Boxes(LayOut(graphs));
  const std::vector<Box> second = Boxes(LayOut(graphs));
  ASSERT_EQ(first.size(), second.size());
  for (size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].left, second[i].left);
    EXPECT_EQ(first[i].top, second[i].top);
  }
}

TEST(GraphLayoutTest, TwoThousandNodesTakeLessThanASecond) {
  const DataFlowGraphs graphs = RandomGraphs(2000, 2);
  const auto start = std::chrono::steady_clock::now();
  const GraphLayout layout = LayOut(graphs);
  const std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - start;
  EXPECT_THAT(layout.cells, SizeIs(2000));
  EXPECT_LT(seconds.count(), 1);
}

}  // namespace
}  // namespace ns
