#include "passes/quantization/observe/planned_graph.h"

#include <torch/csrc/jit/ir/ir.h>

#include "absl/algorithm/container.h"
#include "ir/graph/graph_walk.h"
#include "ir/graph/node_view.h"
#include "passes/analysis/value_facts.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

bool HasLeafCalls(torch::jit::Graph& graph) {
  return AnyNode(graph.block(),
                 [](const Node* node) { return IsLeafCall(*node); });
}

bool RunsOnQuantized(const ValueFacts& facts, const FloatSubgraph& subgraph) {
  return facts.IsLikelyQuantized(*subgraph.output) ||
         absl::c_any_of(DataInputsOf(subgraph.subgraph),
                        [&](const Value* input) {
                          return facts.IsLikelyQuantized(*input);
                        });
}

}  // namespace

PlannedGraph::PlannedGraph(torch::jit::Graph& graph,
                           const OpRelations& relations, FusingOps fusing)
    : graph_(graph),
      writes_(graph),
      has_leaf_calls_(HasLeafCalls(graph)),
      subgraphs_(FindFloatSubgraphs(graph, relations, fusing)) {
  const ValueFacts facts(graph);
  for (const FloatSubgraph& subgraph : subgraphs_) {
    by_start_[subgraph.subgraph.start] = &subgraph;
    inside_.insert(subgraph.subgraph.nodes.begin(),
                   subgraph.subgraph.nodes.end());
    inside_.insert(subgraph.subgraph.start);
    const Node& base = *subgraph.subgraph.base;
    forms_.try_emplace(&base, Int8FormOf(base));
    operands_[&base] = Int8OperandsOf(subgraph.subgraph);
    if (RunsOnQuantized(facts, subgraph)) {
      quantized_.insert(&base);
    }
    if (FindWriters(subgraph)) {
      written_.insert(&base);
    }
  }
}

const FloatSubgraph* PlannedGraph::StartingAt(const Node* node) const {
  const auto found = by_start_.find(node);
  return found == by_start_.end() ? nullptr : found->second;
}

bool PlannedGraph::IsWritten(const Value* value) const {
  if (!has_leaf_calls_) {
    return writes_.HasWriters(value);
  }
  return absl::c_any_of(value->uses(), [](const torch::jit::Use& use) {
    return use.offset == 0 && WorksInPlace(*use.user);
  });
}

bool PlannedGraph::FindWriters(const FloatSubgraph& subgraph) const {
  for (const Node* node : subgraph.subgraph.nodes) {
    for (const Value* output : node->outputs()) {
      if (IsWritten(output)) {
        return true;
      }
    }
  }
  const auto& operands = OperandsOf(*subgraph.subgraph.base);
  return IsWritten(subgraph.output) ||
         (operands &&
          absl::c_any_of(*operands, [&](const Int8Operand& operand) {
            return IsWritten(operand.value);
          }));
}

}  // namespace ns
