// Edits single modules of a TorchScript hierarchy: for tools that keep the
// hierarchy, where passes work on its flat graph (ir/model/model_graph.h).
#ifndef IR_HIERARCHY_MODULE_EDITOR_H_
#define IR_HIERARCHY_MODULE_EDITOR_H_

#include <torch/csrc/jit/api/module.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/hierarchy/class_namer.h"

namespace ns {

// A copy of a module hierarchy in which every module object has a type, and
// code, of its own. TorchScript gives the objects of one Python class one type,
// so that a change of one would be a change of all.
//
//   NS_ASSIGN_OR_RETURN(ModuleEditor editor, ModuleEditor::Copy(model));
//   NS_RETURN_IF_ERROR(editor.HookOutput("layer1.conv", "observer", observer));
//   NS_RETURN_IF_ERROR(editor.Swap({{"fc", quantized_fc._ivalue()}}));
//   editor.root().save("edited.pt");
//
// Paths are names of attributes joined by dots, "layer1.0.conv"; that of the
// root is "". Methods must not run before the last edit: LibTorch keeps what it
// compiled for their first run.
class ModuleEditor {
 public:
  enum class Tensors { kShared, kCopied };

  // Copies `module`, with its parameters, buffers, attributes, constants,
  // methods and hooks. Types keep their names, up to the mangling of
  // TorchScript. An object at two paths stays one object. Error, naming the
  // path: code that does not say which module object it uses
  // (ir/hierarchy/module_values.h).
  static absl::StatusOr<ModuleEditor> Copy(const torch::jit::Module& module,
                                           Tensors tensors = Tensors::kShared);

  torch::jit::Module& root() { return root_; }
  const torch::jit::Module& root() const { return root_; }

  // Returns the paths of all module objects, each by its first path in the
  // order of attributes, parents first.
  std::vector<std::string> Paths() const;

  // Returns the module at `path`. Error: there is none; the message names the
  // nearest path.
  absl::StatusOr<torch::jit::Module> At(absl::string_view path) const;

  // Makes `object`, which has a method `forward(Tensor) -> Tensor`, the
  // attribute `name` of the module at `path`, and passes what the module's
  // `forward` returns through it:
  //
  //   %observer = prim::GetAttr[name=<name>](%self)
  //   %observed = prim::CallMethod[name="forward"](%observer, %y)
  //   return (%observed)
  //
  // `object` itself is attached, not a copy: hooked at two places, it sees the
  // values of both. Error: no such module or method, an attribute of this name
  // that is there already, or a `forward` that returns no single tensor.
  absl::Status HookOutput(absl::string_view path, const std::string& name,
                          const c10::IValue& object);

  // Does the same with the first argument of `forward`.
  absl::Status HookInput(absl::string_view path, const std::string& name,
                         const c10::IValue& object);

  // Takes back what HookOutput or HookInput did to the modules at `paths`, in
  // all their methods: calls of the object at attribute `name` hand their
  // argument on, and the attribute is gone. Error, with nothing changed: no
  // such module or attribute, or code that uses the attribute in another way,
  // as a forward hook or another module does.
  absl::Status Unhook(const std::vector<std::string>& paths,
                      const std::string& name);

  // Replaces the module at each path by a copy of the module that is given for
  // it, also at the other paths of the same module object, and updates the
  // types in the code that uses it. The copy shares tensors with the module
  // that is given, and gets the forward hooks of the module that it replaces.
  //
  // What is given may also be another object with a method
  // `forward(Tensor) -> Tensor`. It is not copied, and the code may call only
  // this method of it.
  //
  // Error, with nothing changed: the root, no such module, two replacements of
  // one module, a path inside another one, or a forward hook that has the name
  // of a method of the replacement. Error, after which the editor must not be
  // used any more: code that the replacement does not fit; the message names
  // what is missing.
  absl::Status Swap(const std::map<std::string, c10::IValue>& replacements);

  // Removes an attribute that no code uses. Does nothing where the module has
  // none of this name. Error: no such module.
  absl::Status RemoveAttribute(absl::string_view path, const std::string& name);

 private:
  ModuleEditor(const torch::jit::Module& root, ClassNamer namer)
      : root_(root), namer_(namer) {}

  absl::Status Hook(absl::string_view path, const std::string& name,
                    const c10::IValue& object, bool is_input);

  torch::jit::Module root_;
  // Of all classes below the root.
  ClassNamer namer_;
};

}  // namespace ns

#endif  // IR_HIERARCHY_MODULE_EDITOR_H_
