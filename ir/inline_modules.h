// Inlines a module hierarchy into one flat graph without losing names.
#ifndef IR_INLINE_MODULES_H_
#define IR_INLINE_MODULES_H_

#include "absl/status/status.h"

namespace torch::jit {
struct Graph;
struct Module;
}  // namespace torch::jit

namespace ns {

// Replaces every prim::CallMethod and prim::CallFunction of `graph` that calls
// TorchScript code by the callee's body, recursively, inside control flow too.
//
//   %conv = prim::GetAttr[name="conv"](%self)
//   %y = prim::CallMethod[name="forward"](%conv, %x)
// becomes
//   %conv = prim::GetAttr[name="conv"](%self)
//   %weight = prim::GetAttr[name="weight"](%conv)
//   %y = aten::conv2d(%x, %weight, ...)    # scope: conv@0(torch.nn...Conv2d)
//
// `graph` is a method of `root`: its first input is `root` itself. Afterwards
// ModulePathOf tells the module of every node. A called script function keeps
// its caller's path, and so do the parts of a fused module
// (torch.nn.intrinsic.ConvReLU2d), which are one layer. Calls of C++ classes
// stay calls.
//
// Error: a method or interface that cannot be resolved, or recursion.
absl::Status InlineModules(const torch::jit::Module& root,
                           torch::jit::Graph& graph);

}  // namespace ns

#endif  // IR_INLINE_MODULES_H_
