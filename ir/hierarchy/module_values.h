// Gives the values that are modules, in the code of a module, the types of the
// module objects that they are.
#ifndef IR_HIERARCHY_MODULE_VALUES_H_
#define IR_HIERARCHY_MODULE_VALUES_H_

#include <torch/csrc/jit/api/module.h>

#include <string>

#include "absl/status/status.h"

namespace torch::jit {
struct Graph;
}  // namespace torch::jit

namespace ns {

// Changes the types of values in `graph`, which is a method or forward hook of
// `module`. Each value that is a module gets the type of the module object that
// it is, inside control flow and forks, too:
//
//   %conv : <type of module.conv> = prim::GetAttr[name="conv"](%self)
//   %y = prim::CallMethod[name="forward"](%conv, %x)
//
// Objects are found from `module` on, by the names of attributes. So it does
// not matter what the types were before: an attribute may hold another module
// by now. What GetAttr reads from a module gets the type of the attribute. A
// call of a forward hook, which is a prim::CallFunction with the module as its
// second input, calls the hook of the same name that the object has. `path` is
// the path of `module`, for messages.
//
// Error, naming the path: a module without an attribute, method or hook that
// the code uses, or whose method or hook takes other arguments or returns
// another type than the call has; and code that does not say which object it
// uses, as where a module is read through an interface, is an argument or is
// handed on as one, or comes out of a prim::If. Some types may be changed then.
absl::Status TypeModuleValues(const torch::jit::Module& module,
                              const std::string& path,
                              torch::jit::Graph& graph);

}  // namespace ns

#endif  // IR_HIERARCHY_MODULE_VALUES_H_
