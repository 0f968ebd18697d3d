#include "drop_dropout.h"

#include <torch/csrc/jit/ir/ir.h>

#include <optional>

#include "nspasses/ir/graph/node_view.h"
#include "nspasses/ir/graph/pass_context.h"
#include "nspasses/ir/model/model_graph.h"

namespace compiler {
namespace {

using ::torch::jit::Block;
using ::torch::jit::Node;

bool DoesNothing(const Node& node) {
  const torch::jit::Value* const train = ns::InputNamed(node, "train");
  if (train == nullptr) {
    return false;
  }
  const std::optional<c10::IValue> value = ns::ConstantOf(*train);
  return value.has_value() && !value->toBool();
}

bool DropDropouts(Block& block, ns::PassContext& context) {
  bool changed = false;
  for (auto it = block.nodes().begin(); it != block.nodes().end();) {
    Node* const node = *it++;
    for (Block* inner : node->blocks()) {
      changed |= DropDropouts(*inner, context);
    }
    if (ns::OpName(*node) != "aten::dropout") {
      continue;
    }
    if (!DoesNothing(*node)) {
      context.Remark(*node, "it may train");
      continue;
    }
    node->output()->replaceAllUsesWith(node->input(0));
    node->destroy();
    changed = true;
  }
  return changed;
}

}  // namespace

absl::StatusOr<bool> DropDropout::Run(ns::ModelGraph& model,
                                      ns::PassContext& context) const {
  return DropDropouts(*model.graph().block(), context);
}

}  // namespace compiler
