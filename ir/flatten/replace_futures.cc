#include "ir/flatten/replace_futures.h"

#include <torch/csrc/jit/ir/ir.h>

#include <vector>

namespace ns {
namespace {

using ::torch::jit::Block;
using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;

// Returns `type` with each future in it, in containers too, replaced by the
// type of its value.
c10::TypePtr WithoutFutures(const c10::TypePtr& type) {
  if (const auto future = type->cast<c10::FutureType>()) {
    return WithoutFutures(future->getElementType());
  }
  // The type of a class does not change with what its attributes hold.
  if (type->containedTypes().empty() || type->cast<c10::ClassType>()) {
    return type;
  }
  std::vector<c10::TypePtr> contained;
  for (const c10::TypePtr& inner : type->containedTypes()) {
    contained.push_back(WithoutFutures(inner));
  }
  return type->withContained(std::move(contained));
}

void ReplaceType(Value* value) {
  value->setType(WithoutFutures(value->type()));
}

void ReplaceIn(Block* block) {
  for (Value* input : block->inputs()) {
    ReplaceType(input);
  }
  for (auto it = block->nodes().begin(); it != block->nodes().end(); ++it) {
    Node* node = *it;
    for (Block* inner : node->blocks()) {
      ReplaceIn(inner);
    }
    if (node->kind() == c10::aten::wait) {
      node->output()->replaceAllUsesWith(node->input());
      it.destroyCurrent();
      continue;
    }
    for (Value* output : node->outputs()) {
      ReplaceType(output);
    }
  }
}

}  // namespace

void ReplaceFuturesByValues(Graph& graph) { ReplaceIn(graph.block()); }

}  // namespace ns
