// Inlines a module hierarchy into one flat graph without losing names.
#ifndef IR_FLATTEN_INLINE_MODULES_H_
#define IR_FLATTEN_INLINE_MODULES_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/graph/module_path.h"

namespace torch::jit {
struct Graph;
struct Module;
struct Node;
}  // namespace torch::jit

namespace ns {

// Says whether a called module is a leaf, whose calls stay. It is also asked
// about each called script function: `callee.type` is then the function's
// qualified name, as UnmangledTypeName gives it, and `callee.fqn` the path of
// the module whose code calls it. So a predicate that only looks at the path
// also makes leaves of functions.
using LeafPredicate = std::function<bool(const ModulePath& callee)>;

// Makes leaves of modules of these types and functions of these names, which
// are compared as IsTypeNamed does.
LeafPredicate LeafTypes(std::vector<std::string> types);

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
// ModulePathOf tells the module of every node. Code of a script function has
// the path of the module that calls it. Code of the parts of a fused module
// (torch.nn.intrinsic.ConvReLU2d) has the path of the fused module, as they are
// one layer. Methods of C++ classes are still called. Code of PyTorch's own
// modules gets the line of the user's code that calls it (TakeLineOfCall in
// ir/graph/source_line.h). Forked code (torch.jit.fork) is inlined where it is
// forked; what it returns is then a value, no future, and aten::wait is
// removed.
//
// Calls of leaves stay as well, whatever method is called: of modules and
// functions for which `is_leaf` returns true. It is not asked about the parts
// of a fused module. Null means that there are none. A call that stays has the
// path of the module that it calls; a function's call, that of its caller:
//
//   %y = prim::CallMethod[name="forward"](%conv, %x)  # scope: conv@0(...)
//
// Returns whether any call was replaced. Error: a method or interface that
// cannot be resolved, or recursion; calls before it may be inlined then.
absl::StatusOr<bool> InlineModules(const torch::jit::Module& root,
                                   torch::jit::Graph& graph,
                                   const LeafPredicate& is_leaf = nullptr);

// Returns the calls of leaf modules and functions that InlineModules left in
// `graph`, inside control flow too, in program order.
std::vector<torch::jit::Node*> LeafCalls(torch::jit::Graph& graph);

}  // namespace ns

#endif  // IR_FLATTEN_INLINE_MODULES_H_
