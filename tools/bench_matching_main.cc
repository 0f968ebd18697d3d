// How the time of matching grows with the length of a model.
//
//   bazel run -c opt //tools:bench_matching
//
// Matches synthetic chains of conv-bn-relu blocks with their quantized twins,
// with and without module names, and prints the time, the time for each node,
// and its ratio to that of the shortest chain: 1.0 is linear growth. Caches are
// emptied before each run, as they are for a model that was just loaded:
// otherwise the shortest chain alone would run from cache.

#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/model_graph.h"
#include "ir/module_path.h"
#include "passes/matching/graph_matcher.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;

constexpr int kRepetitions = 5;

Value* Append(Graph& graph, const char* op, Value* input,
              const std::string& module) {
  Node* node =
      graph.insertNode(graph.create(c10::Symbol::fromQualString(op), {input}));
  if (!module.empty()) {
    node->setScope(
        ScopeFor({module, 0, "torch.nn.Module"}, graph.current_scope()));
  }
  return node->output();
}

// `nodes` ops in a chain: conv, batch norm, relu, hardtanh over and over, or
// conv_relu, hardtanh.
std::shared_ptr<Graph> Chain(int nodes, bool quantized, bool named) {
  auto graph = std::make_shared<Graph>();
  Value* value = graph->addInput("x");
  const int blocks = nodes / 4;
  for (int i = 0; i < blocks; ++i) {
    const std::string module = named ? absl::StrCat("layer", i) : "";
    if (quantized) {
      value = Append(*graph, "quantized::conv2d_relu", value, module);
    } else {
      value = Append(*graph, "aten::conv2d", value, module);
      value = Append(*graph, "aten::batch_norm", value, module);
      value = Append(*graph, "aten::relu", value, module);
    }
    value = Append(*graph, "aten::hardtanh", value, module);
  }
  graph->registerOutput(value);
  return graph;
}

// Larger than the caches of the machines this runs on.
void EmptyCaches() {
  static std::vector<char> other(size_t{256} << 20);
  for (size_t i = 0; i < other.size(); i += 64) {
    ++other[i];
  }
}

// Seconds of the fastest of some runs.
double Measure(const ModelGraph& a, const ModelGraph& b, size_t* matches) {
  double best = 1e9;
  for (int i = 0; i < kRepetitions; ++i) {
    EmptyCaches();
    const auto start = std::chrono::steady_clock::now();
    const auto result = MatchSubgraphs(a, b);
    const std::chrono::duration<double> time =
        std::chrono::steady_clock::now() - start;
    best = std::min(best, time.count());
    *matches = result->matches.size();
  }
  return best;
}

int Main() {
  std::printf("%-10s %8s %8s %10s %14s %18s\n", "names", "nodes", "matches",
              "ms", "ns per node", "ratio to shortest");
  for (const bool named : {true, false}) {
    double shortest = 0;
    for (const int nodes : {10000, 30000, 100000}) {
      // The chains are kept: freeing them would leave a heap full of holes, and
      // the allocator's time, not the matcher's, would be measured.
      const auto float_chain = Chain(nodes, false, named);
      const auto quantized_chain = Chain(nodes, true, named);
      const auto a = ModelGraph::FromGraph(float_chain);
      const auto b = ModelGraph::FromGraph(quantized_chain);
      size_t matches = 0;
      const double seconds = Measure(*a, *b, &matches);
      const double per_node = seconds / nodes * 1e9;
      shortest = shortest == 0 ? per_node : shortest;
      std::printf("%-10s %8d %8zu %10.1f %14.0f %18.2f\n",
                  named ? "modules" : "none", nodes, matches, seconds * 1e3,
                  per_node, per_node / shortest);
    }
  }
  return 0;
}

}  // namespace
}  // namespace ns

int main() { return ns::Main(); }
