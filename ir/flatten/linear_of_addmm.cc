#include "ir/flatten/linear_of_addmm.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/interned_strings.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "ir/graph/constant_argument.h"
#include "ir/graph/graph_walk.h"
#include "ir/graph/node_view.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;

bool IsOne(const Node& node, absl::string_view name) {
  const std::optional<c10::IValue> factor = ConstantArgument(node, name);
  return factor && (factor->isInt() || factor->isDouble()) &&
         factor->toScalar().toDouble() == 1;
}

// Returns the constant float tensor of `dimensions` that an argument is.
std::optional<at::Tensor> ConstantTensor(const Node& node,
                                         absl::string_view name,
                                         int64_t dimensions) {
  const std::optional<c10::IValue> constant = ConstantArgument(node, name);
  return constant && constant->isTensor() &&
                 constant->toTensor().is_floating_point() &&
                 constant->toTensor().dim() == dimensions
             ? std::make_optional(constant->toTensor())
             : std::nullopt;
}

bool MakeLinear(Graph& graph, Node* node) {
  const auto weight = ConstantTensor(*node, "mat2", 2);
  const auto bias = ConstantTensor(*node, "self", 1);
  if (!weight || !bias || bias->size(0) != weight->size(1) ||
      !IsOne(*node, "alpha") || !IsOne(*node, "beta")) {
    return false;
  }
  const torch::jit::WithInsertPoint here(node);
  Node* linear =
      graph.create(c10::aten::linear, {InputNamed(*node, "mat1"),
                                       graph.insertConstant(weight->t()),
                                       InputNamed(*node, "self")});
  linear->output()->setType(node->output()->type());
  graph.insertNode(linear)->copyMetadata(node);
  if (node->output()->hasDebugName()) {
    linear->output()->setDebugName(node->output()->debugName());
  }
  node->output()->replaceAllUsesWith(linear->output());
  node->destroy();
  return true;
}

}  // namespace

bool MakeLinearLayersOfAddmm(Graph& graph) {
  std::vector<Node*> nodes;
  ForEachNode(graph.block(), [&](Node* node) {
    if (node->kind() == c10::aten::addmm) {
      nodes.push_back(node);
    }
  });
  bool changed = false;
  for (Node* node : nodes) {
    changed |= MakeLinear(graph, node);
  }
  return changed;
}

}  // namespace ns
