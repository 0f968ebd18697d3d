#include "ns/suite/model_graphs.h"

#include <torch/csrc/jit/ir/ir.h>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "ir/graph/node_view.h"
#include "llvm/ADT/DenseMap.h"
#include "passes/analysis/place_sources.h"
#include "passes/analysis/subgraph.h"

namespace ns {
namespace {

using ::torch::jit::Block;
using ::torch::jit::Node;

// A node of the graph that is made, and where it is in the model.
struct PlacedNode {
  DataFlowNode node;
  Subgraph subgraph;
  size_t position = 0;
};

void NumberNodes(const Block* block,
                 llvm::DenseMap<const Node*, size_t>& positions) {
  for (const Node* node : block->nodes()) {
    for (const Block* inner : node->blocks()) {
      NumberNodes(inner, positions);
    }
    positions[node] = positions.size();
  }
}

// Returns "layer1.0 (add)".
std::string NameOfUnmatched(const UnmatchedOp& op) {
  const std::string short_op(ShortOpName(OpName(*op.node)));
  return op.fqn.empty() ? short_op : absl::StrCat(op.fqn, " (", short_op, ")");
}

PlacedNode Matched(const SubgraphMatch& match, const MatchedSide& side) {
  return {{side.fqn, match.name, OpOf(side.subgraph), match.name, ""},
          side.subgraph};
}

PlacedNode Unmatched(const UnmatchedOp& op) {
  return {{op.fqn, NameOfUnmatched(op), std::string(OpName(*op.node)), "",
           op.reason},
          {op.node, op.node, op.node, {op.node}}};
}

DataFlowGraph GraphOf(const ModelGraph& model, std::vector<PlacedNode> placed) {
  torch::jit::Graph& graph = model.graph();
  llvm::DenseMap<const Node*, size_t> positions;
  NumberNodes(graph.block(), positions);
  for (PlacedNode& node : placed) {
    node.position = positions[node.subgraph.end];
  }
  absl::c_stable_sort(placed, [](const PlacedNode& a, const PlacedNode& b) {
    return a.position < b.position;
  });
  std::vector<Place> places;
  places.reserve(placed.size());
  for (const PlacedNode& node : placed) {
    places.push_back({&node.subgraph, nullptr});
  }
  const std::vector<PlaceSources> sources = SourcesOfPlaces(graph, places);
  DataFlowGraph result;
  for (size_t to = 0; to < placed.size(); ++to) {
    result.nodes.push_back(std::move(placed[to].node));
    for (const size_t from : sources[to].places) {
      result.edges.emplace_back(from, to);
    }
  }
  return result;
}

// Whether what node `from` makes flows into node `to`, also through others.
bool Feeds(const DataFlowGraph& graph, size_t from, size_t to) {
  std::vector<bool> reached(graph.nodes.size());
  reached[from] = true;
  // Edges are sorted by their ends, and no node feeds an earlier one.
  for (const auto& [source, target] : graph.edges) {
    if (reached[source]) {
      reached[target] = true;
    }
  }
  return reached[to];
}

}  // namespace

DataFlowGraphs GraphsOf(const ModelGraph& float_model,
                        const ModelGraph& quantized_model,
                        const MatchResult& matches) {
  std::vector<PlacedNode> of_float;
  std::vector<PlacedNode> of_quantized;
  for (const SubgraphMatch& match : matches.matches) {
    if (!match.is_quantize_point && match.a.subgraph.base != nullptr) {
      of_float.push_back(Matched(match, match.a));
    }
    if (match.b.subgraph.base != nullptr) {
      of_quantized.push_back(Matched(match, match.b));
    }
  }
  for (const UnmatchedOp& op : matches.unmatched_a) {
    of_float.push_back(Unmatched(op));
  }
  for (const UnmatchedOp& op : matches.unmatched_b) {
    of_quantized.push_back(Unmatched(op));
  }
  return {GraphOf(float_model, std::move(of_float)),
          GraphOf(quantized_model, std::move(of_quantized))};
}

std::optional<std::pair<std::string, std::string>> FindSwapped(
    const DataFlowGraphs& graphs) {
  const DataFlowGraph& quantized = graphs.of_quantized;
  absl::flat_hash_map<std::string, size_t> node_of;
  for (size_t i = 0; i < quantized.nodes.size(); ++i) {
    if (!quantized.nodes[i].layer.empty()) {
      node_of[quantized.nodes[i].layer] = i;
    }
  }
  for (const auto& [from, to] : graphs.of_float.edges) {
    const auto producer = node_of.find(graphs.of_float.nodes[from].layer);
    const auto consumer = node_of.find(graphs.of_float.nodes[to].layer);
    if (producer != node_of.end() && consumer != node_of.end() &&
        consumer->second < producer->second &&
        Feeds(quantized, consumer->second, producer->second)) {
      return std::make_pair(consumer->first, producer->first);
    }
  }
  return std::nullopt;
}

}  // namespace ns
