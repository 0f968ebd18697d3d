// Tells which module objects the values in the code of a module are.
#ifndef IR_MODULE_VALUES_H_
#define IR_MODULE_VALUES_H_

#include <torch/csrc/jit/api/module.h>

#include <string>

#include "absl/status/status.h"

namespace torch::jit {
struct Graph;
}  // namespace torch::jit

namespace ns {

// Gives each value of `graph`, a method of `module`, that is a module the type
// of the object that it is, also inside of control flow and forks:
//
//   %conv : <type of module.conv> = prim::GetAttr[name="conv"](%self)
//   %y = prim::CallMethod[name="forward"](%conv, %x)
//
// Objects are found from `module` on by the names of attributes, so what the
// types were before does not matter. Calls of forward hooks, prim::CallFunction
// with the module behind the function, get those of the type. `path` is where
// `module` is, for messages.
//
// Error, naming the path: a module that has no attribute, method or hook of a
// name that the code uses, or whose method takes other arguments than it is
// called with; and code that does not say which object it uses, as where a
// module is called through an interface, is an argument, or comes out of a
// prim::If. Some types may be changed then.
absl::Status TypeModuleValues(const torch::jit::Module& module,
                              const std::string& path,
                              torch::jit::Graph& graph);

}  // namespace ns

#endif  // IR_MODULE_VALUES_H_
