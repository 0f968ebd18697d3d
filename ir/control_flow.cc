#include "ir/control_flow.h"

#include <torch/csrc/jit/ir/ir.h>

namespace ns {

bool IsInLoop(const torch::jit::Node& node) {
  for (const torch::jit::Node* outer = node.owningBlock()->owningNode();
       outer != nullptr; outer = outer->owningBlock()->owningNode()) {
    if (outer->kind() == c10::prim::Loop) {
      return true;
    }
  }
  return false;
}

}  // namespace ns
