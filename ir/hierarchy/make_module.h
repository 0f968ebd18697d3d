// Makes TorchScript modules of classes that a program has no file of, such as
// the quantized modules of PyTorch.
#ifndef IR_HIERARCHY_MAKE_MODULE_H_
#define IR_HIERARCHY_MAKE_MODULE_H_

#include <torch/csrc/jit/api/module.h>

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace torch::jit {
struct Graph;
}  // namespace torch::jit

namespace ns {

// Returns a module of a new class called `class_name`, as in Python:
// "torch.nn.modules.linear.Identity". It has no methods yet, and the two
// attributes that all modules have there, `training`, which is false, and
// `_is_full_backward_hook`, which is None. Others are added by the functions of
// torch::jit::Module.
//
//   Module relu = NewModule("torch.nn.modules.activation.ReLU");
//   NS_RETURN_IF_ERROR(DefineMethods(
//       relu, "def forward(self, x: Tensor) -> Tensor:\n"
//             "    return torch.relu(x)\n"));
//
// A hierarchy with many modules of one name must go through ModuleEditor
// (ir/hierarchy/module_editor.h) before it runs: it makes their names differ.
torch::jit::Module NewModule(absl::string_view class_name);

// Returns a module of a new class called `class_name` with the attributes,
// constants and methods of `module`. The values of attributes, tensors and
// submodules among them, are shared with it.
torch::jit::Module WithClassName(const torch::jit::Module& module,
                                 absl::string_view class_name);

// Compiles `source`, TorchScript code, to methods of `module`. They may use the
// attributes that it has by now; a submodule is called as
// `self.fc.forward(x)`, aten ops as `torch.relu(x)`, others as
// `ops.quantized.add(x, y, 0.1, 64)`. Error: code that does not compile.
absl::Status DefineMethods(torch::jit::Module& module,
                           const std::string& source);

// Adds the method `name` with the code `graph`, whose first input is `self`: it
// gets the type of `module`. `schema` is that of the method that the code comes
// from: it gives the names of the arguments, `self` first, and their defaults.
void AddMethod(torch::jit::Module& module, const std::string& name,
               std::shared_ptr<torch::jit::Graph> graph,
               const c10::FunctionSchema& schema);

}  // namespace ns

#endif  // IR_HIERARCHY_MAKE_MODULE_H_
