#include "passes/analysis/random_ops.h"

#include <torch/csrc/jit/ir/ir.h>

#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "ir/graph/graph_walk.h"
#include "ir/graph/node_view.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;

// Returns the input that switches `node` to training; null where there is none.
const Value* TrainingSwitch(const Node& node) {
  for (const char* name : {"train", "training"}) {
    if (const Value* value = InputNamed(node, name)) {
      return value;
    }
  }
  return nullptr;
}

bool IsConstantTrue(const Value& value) {
  const std::optional<c10::IValue> constant = ConstantOf(value);
  return constant && ((constant->isBool() && constant->toBool()) ||
                      (constant->isInt() && constant->toInt() != 0));
}

// Whether a probability of `node`, which drops elements, is known to be 0.
bool DropsNothing(const Node& node) {
  for (const char* name : {"p", "dropout"}) {
    const Value* probability = InputNamed(node, name);
    if (probability != nullptr && NumberOf(*probability) == 0.0) {
      return true;
    }
  }
  return false;
}

bool TakesGenerator(const Node& node) {
  const c10::FunctionSchema* schema = node.maybeSchema();
  return schema != nullptr &&
         absl::c_any_of(schema->arguments(), [](const c10::Argument& argument) {
           return argument.name() == "generator";
         });
}

template <typename Predicate>
std::vector<Node*> NodesWith(Graph& graph, const Predicate& predicate) {
  std::vector<Node*> nodes;
  ForEachNode(graph.block(), [&](Node* node) {
    if (predicate(*node)) {
      nodes.push_back(node);
    }
  });
  return nodes;
}

}  // namespace

bool ComputesAsInTraining(const Node& node) {
  const Value* training = TrainingSwitch(node);
  return training != nullptr && IsConstantTrue(*training) &&
         !DropsNothing(node);
}

bool IsRandom(const Node& node) {
  if (TrainingSwitch(node) != nullptr) {
    // A batch norm normalizes with the figures of its batch, by no chance.
    return ComputesAsInTraining(node) &&
           (node.isNondeterministic() || TakesGenerator(node) ||
            InputNamed(node, "p") != nullptr ||
            InputNamed(node, "dropout") != nullptr);
  }
  return node.isNondeterministic() || TakesGenerator(node);
}

std::vector<Node*> RandomOps(Graph& graph) {
  return NodesWith(graph, IsRandom);
}

std::vector<Node*> TrainingOps(Graph& graph) {
  return NodesWith(graph, ComputesAsInTraining);
}

}  // namespace ns
