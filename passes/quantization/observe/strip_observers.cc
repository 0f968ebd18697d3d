#include "passes/quantization/observe/strip_observers.h"

#include <torch/csrc/jit/ir/ir.h>

#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "ir/graph/graph_walk.h"
#include "ir/graph/node_view.h"
#include "passes/quantization/observe/prepared_model.h"

namespace ns {

using ::torch::jit::Node;

std::map<int64_t, Node*> WeightedLayers(ModelGraph& model) {
  std::map<int64_t, Node*> layers;
  ForEachNode(model.graph().block(), [&](Node* node) {
    if (OpName(*node) == kObservedWeight) {
      const auto index = ConstantOf(*node->input(1));
      if (index && index->isInt() && node->output()->uses().size() == 1) {
        layers[index->toInt()] = node->output()->uses()[0].user;
      }
    }
  });
  return layers;
}

absl::StatusOr<std::map<int64_t, Node*>> StripObservers(ModelGraph& model) {
  if (!IsPrepared(model.module())) {
    return absl::InvalidArgumentError(
        "the model was not prepared: there are no observers to take out");
  }
  std::map<int64_t, Node*> layers = WeightedLayers(model);
  std::vector<Node*> calls;
  ForEachNode(model.graph().block(), [&](Node* node) {
    if (OpName(*node) == kObservedWeight) {
      node->output()->replaceAllUsesWith(node->input(0));
      calls.push_back(node);
    } else if (IsObserverCall(*node)) {
      node->output()->replaceAllUsesWith(node->input(1));
      calls.push_back(node);
    }
  });
  for (Node* call : calls) {
    Node* object = call->input(0)->node();
    call->destroy();
    if (object->kind() == c10::prim::GetAttr &&
        object->output()->uses().empty()) {
      object->destroy();
    }
  }
  DetachPreparedModel(model.module());
  return layers;
}

}  // namespace ns
