#include "passes/instrument/logger_writes.h"

#include <ATen/core/alias_info.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/passes/inliner.h>

#include <algorithm>
#include <cstddef>
#include <memory>

#include "ir/graph/graph_walk.h"
#include "ir/graph/handed_on.h"
#include "ir/graph/node_view.h"
#include "passes/runtime/loggers/logger.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::Node;

// Ops that run code which the graph does not show.
bool RunsOtherCode(const Node& node) {
  return node.kind() == c10::prim::CallMethod ||
         node.kind() == c10::prim::CallFunction ||
         node.hasAttribute(c10::attr::Subgraph);
}

// Whether the op writes to the tensor that is its input number `index`, or to
// one in the list or dict that this is.
bool WritesToTensorIn(const Node& op, size_t index) {
  const c10::AliasInfo* alias = AliasOf({const_cast<Node*>(&op), index});
  if (alias == nullptr) {
    return false;
  }
  const auto& elements = alias->containedTypes();
  return (alias->isWrite() && !IsContainer(*op.input(index)->type())) ||
         std::any_of(
             elements.begin(), elements.end(),
             [](const c10::AliasInfo& element) { return element.isWrite(); });
}

bool WritesToTensor(const Node& node) {
  if (!node.blocks().empty() || !WorksInPlace(node)) {
    return false;  // What is in its blocks is asked by itself.
  }
  if (!node.schema().is_mutable()) {
    return true;  // It writes, though its schema hides that.
  }
  for (size_t i = 0; i < node.inputs().size(); ++i) {
    if (WritesToTensorIn(node, i)) {
      return true;
    }
  }
  return false;
}

bool WritesToTensor(const std::shared_ptr<Graph>& graph) {
  const std::shared_ptr<Graph> inlined = graph->copy();
  torch::jit::Inline(*inlined);
  return AnyNode(inlined->block(), [](const Node* node) {
    return RunsOtherCode(*node) || WritesToTensor(*node);
  });
}

}  // namespace

bool MayWriteToTensors(const c10::IValue& logger) {
  if (logger.isCustomClass()) {
    const c10::intrusive_ptr<c10::intrusive_ptr_target> object =
        logger.toObject()->getSlot(0).toCapsule();
    return dynamic_cast<const Logger*>(object.get()) == nullptr;
  }
  const auto* forward = torch::jit::tryToGraphFunction(
      logger.toObject()->type()->getMethod("forward"));
  return forward == nullptr || WritesToTensor(forward->graph());
}

}  // namespace ns
