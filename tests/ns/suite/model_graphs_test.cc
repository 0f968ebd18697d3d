#include "ns/suite/model_graphs.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

// Returns a line for each node, "name: op", with "!" for an unmatched one, and
// one for each edge.
std::vector<std::string> Lines(const DataFlowGraph& graph) {
  std::vector<std::string> lines;
  for (const DataFlowNode& node : graph.nodes) {
    EXPECT_EQ(node.layer.empty(), !node.reason.empty()) << node.name;
    lines.push_back(
        absl::StrCat(node.layer.empty() ? "!" : "", node.name, ": ", node.op));
  }
  for (const auto& [from, to] : graph.edges) {
    EXPECT_LT(from, to);
    lines.push_back(
        absl::StrCat(graph.nodes[from].name, " -> ", graph.nodes[to].name));
  }
  return lines;
}

DataFlowGraphs Graphs(absl::string_view of_float, absl::string_view quantized) {
  const ModelGraph a = ModelOf(of_float);
  const ModelGraph b = ModelOf(quantized);
  return GraphsOf(a, b, OrThrow(MatchSubgraphs(a, b)));
}

TEST(ModelGraphsTest, AnEmptyModelHasNoNodes) {
  const DataFlowGraphs graphs = Graphs("graph(%x : Tensor):\n  return (%x)",
                                       "graph(%x : Tensor):\n  return (%x)");
  EXPECT_THAT(Lines(graphs.of_float), IsEmpty());
  EXPECT_THAT(Lines(graphs.of_quantized), IsEmpty());
}

TEST(ModelGraphsTest, QuantizeAndDequantizeArePartOfEdges) {
  const DataFlowGraphs graphs = Graphs(R"IR(
graph(%x : Tensor):
  %y : Tensor = aten::relu(%x)
  %z : Tensor = aten::sigmoid(%y)
  return (%z))IR",
                                       R"IR(
graph(%x : Tensor):
  %scale : float = prim::Constant[value=0.1]()
  %zero : int = prim::Constant[value=0]()
  %dtype : int = prim::Constant[value=13]()
  %q : Tensor = aten::quantize_per_tensor(%x, %scale, %zero, %dtype)
  %y : Tensor = aten::relu(%q)
  %d : Tensor = aten::dequantize(%y)
  %z : Tensor = aten::sigmoid(%d)
  return (%z))IR");
  EXPECT_THAT(Lines(graphs.of_float),
              ElementsAre("relu: aten::relu", "sigmoid: aten::sigmoid",
                          "relu -> sigmoid"));
  EXPECT_THAT(Lines(graphs.of_quantized),
              ElementsAre("x.quantize: aten::quantize_per_tensor",
                          "relu: aten::relu", "sigmoid: aten::sigmoid",
                          "x.quantize -> relu", "relu -> sigmoid"));
}

TEST(ModelGraphsTest, OpsOfOneModelHaveTheirReason) {
  const DataFlowGraphs graphs = Graphs(R"IR(
graph(%x : Tensor):
  %a : Tensor = aten::relu(%x)
  %b : Tensor = aten::sigmoid(%a)
  %c : Tensor = aten::tanh(%b)
  return (%c))IR",
                                       R"IR(
graph(%x : Tensor):
  %a : Tensor = aten::relu(%x)
  %c : Tensor = aten::tanh(%a)
  return (%c))IR");
  EXPECT_THAT(
      Lines(graphs.of_float),
      ElementsAre("relu: aten::relu", "!sigmoid: aten::sigmoid",
                  "tanh: aten::tanh", "relu -> sigmoid", "sigmoid -> tanh"));
  EXPECT_THAT(
      Lines(graphs.of_quantized),
      ElementsAre("relu: aten::relu", "tanh: aten::tanh", "relu -> tanh"));
}

TEST(ModelGraphsTest, ValuesAreFollowedThroughViewsListsAndControlFlow) {
  constexpr absl::string_view kModel = R"IR(
graph(%x : Tensor, %p : bool):
  %dim : int = prim::Constant[value=1]()
  %a : Tensor = aten::relu(%x)
  %b : Tensor = aten::sigmoid(%x)
  %list : Tensor[] = prim::ListConstruct(%a, %b)
  %c : Tensor = aten::cat(%list, %dim)
  %d : Tensor = prim::If(%p)
    block0():
      %e : Tensor = aten::tanh(%c)
      -> (%e)
    block1():
      -> (%c)
  %f : Tensor = aten::relu(%d)
  return (%f))IR";
  const DataFlowGraphs graphs = Graphs(kModel, kModel);
  const std::vector<std::string> lines = Lines(graphs.of_quantized);
  EXPECT_THAT(lines, testing::IsSupersetOf({"relu -> cat", "sigmoid -> cat",
                                            "cat -> tanh", "tanh -> relu@1",
                                            "cat -> relu@1"}));
  EXPECT_EQ(Lines(graphs.of_float), lines);
}

DataFlowGraph Chain(const std::vector<std::string>& layers) {
  DataFlowGraph graph;
  for (size_t i = 0; i < layers.size(); ++i) {
    graph.nodes.push_back({"", layers[i], "", layers[i], ""});
    if (i > 0) {
      graph.edges.emplace_back(i - 1, i);
    }
  }
  return graph;
}

TEST(ModelGraphsTest, LayersInTheSameOrderAreNotSwapped) {
  EXPECT_EQ(FindSwapped({Chain({"a", "b", "c"}), Chain({"a", "b", "c"})}),
            std::nullopt);
  EXPECT_EQ(FindSwapped({Chain({"a", "x", "b"}), Chain({"a", "b", "y"})}),
            std::nullopt);
}

TEST(ModelGraphsTest, FindsLayersThatFeedEachOtherTheOtherWay) {
  EXPECT_THAT(*FindSwapped({Chain({"a", "b", "c"}), Chain({"a", "c", "b"})}),
              Pair("c", "b"));
}

TEST(ModelGraphsTest, IndependentLayersMayRunInAnyOrder) {
  // b and c take a in both models.
  DataFlowGraph a = Chain({"a", "b", "c"});
  DataFlowGraph b = Chain({"a", "c", "b"});
  a.edges = b.edges = {{0, 1}, {0, 2}};
  EXPECT_EQ(FindSwapped({a, b}), std::nullopt);
}

}  // namespace
}  // namespace ns
