#include "passes/instrument/pair/pair_host.h"

#include <torch/csrc/jit/ir/ir.h>

#include <memory>
#include <utility>

#include "absl/algorithm/container.h"
#include "ir/base/status.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::Value;

constexpr char kModelA[] = "ns_a";
constexpr char kModelB[] = "ns_b";

// A graph that has the inputs of both models, and nothing else.
std::shared_ptr<Graph> GraphOfInputs(const ModelGraph& a, const ModelGraph& b,
                                     const std::vector<size_t>& own_inputs) {
  auto graph = std::make_shared<Graph>();
  for (const Value* input : a.graph().inputs().slice(1)) {
    graph->addInput()->copyMetadata(const_cast<Value*>(input));
  }
  for (const size_t i : own_inputs) {
    graph->addInput()->copyMetadata(b.graph().inputs()[i + 1]);
  }
  graph->registerOutput(graph->insertConstant(c10::IValue()));
  return graph;
}

}  // namespace

absl::StatusOr<ModelGraph> MakePairHost(
    const ModelGraph& a, const ModelGraph& b,
    const std::vector<size_t>& own_inputs_of_b) {
  NS_ASSIGN_OR_RETURN(ModelGraph host, ModelGraph::FromGraph(GraphOfInputs(
                                           a, b, own_inputs_of_b)));
  host.module().register_module(kModelA, a.module());
  host.module().register_module(kModelB, b.module());
  return host;
}

void ConnectInputs(const ModelGraph& a, const ModelGraph& b,
                   const std::vector<size_t>& own_inputs_of_b, ModelGraph& host,
                   GraphCopies& copies_a, GraphCopies& copies_b,
                   ValueCounterparts& counterparts) {
  Graph& graph = host.graph();
  torch::jit::WithInsertPoint at(graph.block());
  const auto self_of = [&](const ModelGraph& model, const char* attribute,
                           GraphCopies& copies) {
    copies.values[model.graph().inputs()[0]] =
        graph.insertGetAttr(graph.inputs()[0], attribute);
  };
  self_of(a, kModelA, copies_a);
  self_of(b, kModelB, copies_b);
  const auto inputs_a = a.graph().inputs();
  const auto inputs_b = b.graph().inputs();
  for (size_t i = 1; i < inputs_a.size(); ++i) {
    copies_a.values[inputs_a[i]] = graph.inputs()[i];
  }
  size_t next = inputs_a.size();
  for (size_t i = 1; i < inputs_b.size(); ++i) {
    const bool is_own = absl::c_linear_search(own_inputs_of_b, i - 1);
    copies_b.values[inputs_b[i]] = graph.inputs()[is_own ? next++ : i];
    if (i < inputs_a.size() && *inputs_a[i]->type() == *inputs_b[i]->type()) {
      counterparts[inputs_a[i]] = copies_b.values[inputs_b[i]];
    }
  }
}

void ReturnBoth(Value* of_a, Value* of_b, ModelGraph& host) {
  Graph& graph = host.graph();
  torch::jit::WithInsertPoint at(graph.block());
  while (!graph.outputs().empty()) {
    graph.eraseOutput(0);
  }
  if (of_a == nullptr) {
    of_a = graph.insertConstant(c10::IValue());
  }
  graph.registerOutput(
      graph.insertNode(graph.createTuple({of_a, of_b}))->output());
}

}  // namespace ns
