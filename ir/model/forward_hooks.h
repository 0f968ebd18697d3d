// Lists the forward hooks of a scripted module.
#ifndef IR_MODEL_FORWARD_HOOKS_H_
#define IR_MODEL_FORWARD_HOOKS_H_

#include <ATen/core/jit_type.h>

#include <vector>

namespace ns {

// Returns what torch.jit.script made of the hooks that were registered with a
// module of `type`: those before `forward`, then those behind it. One that was
// registered twice is there twice. They are no methods: the code that calls
// `forward` of the module calls them, too, as functions that take the module.
std::vector<torch::jit::Function*> ForwardHooks(const c10::ClassType& type);

}  // namespace ns

#endif  // IR_MODEL_FORWARD_HOOKS_H_
