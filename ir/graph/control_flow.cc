#include "ir/graph/control_flow.h"

#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>

namespace ns {

using ::torch::jit::Block;
using ::torch::jit::Node;

bool IsInLoop(const Node& node) {
  for (const Node* outer = node.owningBlock()->owningNode(); outer != nullptr;
       outer = outer->owningBlock()->owningNode()) {
    if (outer->kind() == c10::prim::Loop) {
      return true;
    }
  }
  return false;
}

bool IsWithin(const Node& node, const Block& block) {
  const Block* outer = node.owningBlock();
  while (outer != &block && outer->owningNode() != nullptr) {
    outer = outer->owningNode()->owningBlock();
  }
  return outer == &block;
}

bool IsInside(const Node& node, const Node& owner) {
  const auto blocks = owner.blocks();
  return std::any_of(blocks.begin(), blocks.end(), [&](const Block* block) {
    return IsWithin(node, *block);
  });
}

}  // namespace ns
