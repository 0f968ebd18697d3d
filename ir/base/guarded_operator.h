// Runs code of ours before operators of LibTorch.
#ifndef IR_BASE_GUARDED_OPERATOR_H_
#define IR_BASE_GUARDED_OPERATOR_H_

#include <ATen/core/stack.h>
#include <torch/csrc/jit/runtime/operator.h>

#include <functional>
#include <memory>

namespace ns {

// Gets the arguments of a call on the stack. Returns true where it has replaced
// them by the results; false lets the operator run. It may throw, and is called
// by several threads at once.
using OperatorGuard = std::function<bool(torch::jit::Stack&)>;

// Replaces `op`, which is registered, by an operator of the same schema that
// calls `guard` first. `op` stays valid until the process ends: nodes that were
// made before point to it.
void GuardOperator(const std::shared_ptr<torch::jit::Operator>& op,
                   OperatorGuard guard);

}  // namespace ns

#endif  // IR_BASE_GUARDED_OPERATOR_H_
