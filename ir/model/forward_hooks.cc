#include "ir/model/forward_hooks.h"

namespace ns {

std::vector<torch::jit::Function*> ForwardHooks(const c10::ClassType& type) {
  std::vector<torch::jit::Function*> hooks = type.getForwardPreHooks();
  const std::vector<torch::jit::Function*>& behind = type.getForwardHooks();
  hooks.insert(hooks.end(), behind.begin(), behind.end());
  return hooks;
}

}  // namespace ns
