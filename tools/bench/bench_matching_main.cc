// How the time of matching grows with the length of a model.
//
//   bazel run -c opt //tools:bench_matching
//
// Matches synthetic chains with their quantized twins: conv-bn-relu blocks,
// with and without module names, and blocks with an op in place, each quantized
// apart. Prints the time, the time for each node of the longer model, and its
// ratio to that of the shortest chain, which is matched in turn with the
// others: 1.0 is linear growth. The last column is the same ratio for a walk
// that only files each node under its module's name (all under one, where there
// are none): linear by construction, it shows by how much this machine's caches
// make long graphs slower. All are medians. Caches are emptied before each run,
// as they are for a model that was just loaded: otherwise the shortest chain
// alone would run from cache.

#include <malloc.h>
#include <torch/csrc/jit/ir/ir.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ir/graph/module_path.h"
#include "ir/model/model_graph.h"
#include "passes/matching/graph_matcher.h"
#include "tools/bench/kernels/averages.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;

constexpr int kRounds = 15;

Value* Append(Graph& graph, const char* op, at::ArrayRef<Value*> inputs,
              const std::string& module = "") {
  Node* node =
      graph.insertNode(graph.create(c10::Symbol::fromQualString(op), inputs));
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
      value = Append(*graph, "quantized::conv2d_relu", {value}, module);
    } else {
      value = Append(*graph, "aten::conv2d", {value}, module);
      value = Append(*graph, "aten::batch_norm", {value}, module);
      value = Append(*graph, "aten::relu", {value}, module);
    }
    value = Append(*graph, "aten::hardtanh", {value}, module);
  }
  graph->registerOutput(value);
  return graph;
}

// `nodes` ops in a chain: quantize, hardswish, dequantize, relu in place over
// and over, or hardswish, relu in place. Their schemas are whole, as what ops
// write to is told from those.
std::shared_ptr<Graph> ChainInPlace(int nodes, bool quantized) {
  auto graph = std::make_shared<Graph>();
  Value* value = graph->addInput("x");
  Value* scale = graph->insertConstant(0.1);
  Value* zero_point = graph->insertConstant(0);
  Value* dtype = graph->insertConstant(static_cast<int>(at::kQUInt8));
  const int blocks = nodes / 4;
  for (int i = 0; i < blocks; ++i) {
    if (quantized) {
      value = Append(*graph, "aten::quantize_per_tensor",
                     {value, scale, zero_point, dtype});
      value =
          Append(*graph, "quantized::hardswish", {value, scale, zero_point});
      value = Append(*graph, "aten::dequantize", {value});
    } else {
      value = Append(*graph, "aten::hardswish", {value});
    }
    value = Append(*graph, "aten::relu_", {value});
  }
  graph->registerOutput(value);
  return graph;
}

// Larger than the caches of the machines this runs on.
void EmptyCaches() {
  static std::vector<char> other(size_t{1} << 30);
  for (size_t i = 0; i < other.size(); i += 64) {
    ++other[i];
  }
}

struct Pair {
  int nodes;
  ModelGraph a;
  ModelGraph b;
  // What they are copies of, kept to the end: freeing it would leave a heap
  // full of holes, and the allocator's time, not the matcher's, would be
  // measured.
  std::shared_ptr<Graph> source_a;
  std::shared_ptr<Graph> source_b;
};

// Makes a chain of `nodes` ops of the float or of the quantized model.
using MakeChain =
    absl::FunctionRef<std::shared_ptr<Graph>(int nodes, bool quantized)>;

std::vector<Pair> PairsOfChains(MakeChain make_chain) {
  std::vector<Pair> pairs;
  for (const int nodes : {10000, 30000, 100000}) {
    const auto a = make_chain(nodes, /*quantized=*/false);
    const auto b = make_chain(nodes, /*quantized=*/true);
    pairs.push_back(
        {nodes, *ModelGraph::FromGraph(a), *ModelGraph::FromGraph(b), a, b});
  }
  return pairs;
}

// The seconds that `function` takes from empty caches.
double SecondsOf(absl::FunctionRef<void()> function) {
  EmptyCaches();
  // What other runs freed goes back to the system: each run pays for its own
  // memory, and for tidying none but its own.
  malloc_trim(0);
  const auto start = std::chrono::steady_clock::now();
  function();
  const std::chrono::duration<double> time =
      std::chrono::steady_clock::now() - start;
  return time.count();
}

// Files each node of both models under its module's name.
void Walk(const Pair& pair) {
  absl::flat_hash_map<absl::string_view, std::vector<const Node*>> by_module;
  for (const ModelGraph* model : {&pair.a, &pair.b}) {
    for (const Node* node : model->graph().nodes()) {
      by_module[ModulePathOf(*node).fqn].push_back(node);
    }
  }
}

// Times for each node, by length and round.
using Times = std::vector<std::vector<double>>;

// The time of length `i` over that of the shortest chain.
double RatioToShortest(const Times& times, size_t i) {
  std::vector<double> ratios;
  for (size_t round = 0; round < times[i].size(); ++round) {
    ratios.push_back(times[i][round] / times[0][round]);
  }
  return bench::Median(ratios);
}

void MeasurePairs(const std::vector<Pair>& pairs, const char* chain) {
  Times match_times(pairs.size());
  Times walk_times(pairs.size());
  std::vector<size_t> matches(pairs.size());
  // One length after the other in each round: a noisy moment is one of all.
  for (int round = 0; round < kRounds; ++round) {
    for (size_t i = 0; i < pairs.size(); ++i) {
      const Pair& pair = pairs[i];
      // Freeing the result is not timed.
      absl::StatusOr<MatchResult> result;
      const double match =
          SecondsOf([&] { result = MatchSubgraphs(pair.a, pair.b); });
      matches[i] = result->matches.size();
      const double walk = SecondsOf([&] { Walk(pair); });
      match_times[i].push_back(match / pair.nodes);
      walk_times[i].push_back(walk / pair.nodes);
    }
  }
  for (size_t i = 0; i < pairs.size(); ++i) {
    const double seconds = bench::Median(match_times[i]);
    std::printf("%-10s %8d %8zu %10.1f %14.0f %18.2f %14.2f\n", chain,
                pairs[i].nodes, matches[i], seconds * pairs[i].nodes * 1e3,
                seconds * 1e9, RatioToShortest(match_times, i),
                RatioToShortest(walk_times, i));
  }
}

int Main() {
  std::printf("%-10s %8s %8s %10s %14s %18s %14s\n", "chain", "nodes",
              "matches", "ms", "ns per node", "ratio to shortest",
              "that of a walk");
  const std::vector<Pair> named = PairsOfChains([](int nodes, bool quantized) {
    return Chain(nodes, quantized, /*named=*/true);
  });
  const std::vector<Pair> unnamed =
      PairsOfChains([](int nodes, bool quantized) {
        return Chain(nodes, quantized, /*named=*/false);
      });
  const std::vector<Pair> in_place = PairsOfChains(ChainInPlace);
  MeasurePairs(named, "modules");
  MeasurePairs(unnamed, "no modules");
  MeasurePairs(in_place, "in place");
  return 0;
}

}  // namespace
}  // namespace ns

int main() { return ns::Main(); }
