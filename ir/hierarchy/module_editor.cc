#include "ir/hierarchy/module_editor.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/ir/ir.h>

#include <memory>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "ir/base/deep_copy.h"
#include "ir/base/nearest_name.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/graph/module_path.h"
#include "ir/hierarchy/hook_code.h"
#include "ir/hierarchy/module_values.h"
#include "ir/model/forward_hooks.h"
#include "ir/model/insert_method_call.h"

namespace ns {
namespace {

using ::torch::jit::Function;
using ::torch::jit::Graph;
using ::torch::jit::Module;
using ::torch::jit::Node;
using ::torch::jit::Value;

using Object = const c10::ivalue::Object*;

Object ObjectOf(const Module& module) { return module._ivalue().get(); }

// Calls `visit(path, module)` for each module object, by its first path,
// parents first. It may not change the objects.
template <typename Visit>
void ForEachModule(const Module& root, const Visit& visit) {
  absl::flat_hash_set<Object> seen;
  for (const auto& named : root.named_modules()) {
    if (seen.insert(ObjectOf(named.value)).second) {
      visit(named.name, named.value);
    }
  }
}

// The types of all values in all methods and hooks follow the objects again.
absl::Status TypeAllModuleValues(const Module& root) {
  absl::Status status;
  ForEachModule(root, [&](const std::string& path, const Module& module) {
    const auto type_values = [&](Function* function) {
      return TypeModuleValues(module, path,
                              *torch::jit::toGraphFunction(*function).graph());
    };
    for (Function* method : module.type()->methods()) {
      status.Update(type_values(method));
    }
    for (Function* hook : ForwardHooks(*module.type())) {
      status.Update(Annotated(absl::StrCat("forward hook '", hook->name(),
                                           "' of module '", path, "'"),
                              type_values(hook)));
    }
  });
  return status;
}

// Returns a copy of `function`, a method or hook of `from`, for `to`.
Function* CopyFunction(const Function& function, const c10::ClassType& from,
                       Module& to) {
  const auto to_copy = [&](const c10::TypePtr& old) -> c10::TypePtr {
    return old.get() == &from ? to.type() : old;
  };
  Function* copy = to._ivalue()->compilation_unit()->create_function(
      c10::QualifiedName(*to.type()->name(), function.name()),
      torch::jit::toGraphFunction(function).graph()->copy());
  copy->setSchema(function.getSchema().cloneWithRemappedTypes(to_copy));
  return copy;
}

// Gives `to` the hooks of `from`, except those whose names it has already. One
// that was registered twice is there twice.
void CopyHooks(const c10::ClassType& from, Module& to) {
  absl::flat_hash_set<std::string> there;
  for (const Function* hook : ForwardHooks(*to.type())) {
    there.insert(hook->name());
  }
  absl::flat_hash_map<const Function*, Function*> copies;
  const auto copy_of = [&](const Function* hook) {
    Function*& copy = copies[hook];
    copy = copy == nullptr ? CopyFunction(*hook, from, to) : copy;
    return copy;
  };
  for (const Function* hook : from.getForwardPreHooks()) {
    if (!there.contains(hook->name())) {
      to.type()->addForwardPreHook(copy_of(hook));
    }
  }
  for (const Function* hook : from.getForwardHooks()) {
    if (!there.contains(hook->name())) {
      to.type()->addForwardHook(copy_of(hook));
    }
  }
}

// Copies the objects of one hierarchy.
class Copier {
 public:
  Copier(ModuleEditor::Tensors tensors, ClassNamer& namer)
      : tensors_(tensors), namer_(namer) {}

  absl::StatusOr<Module> Copy(const Module& module, const std::string& path) {
    const auto found = copies_.find(ObjectOf(module));
    if (found != copies_.end()) {
      return found->second;
    }
    const std::shared_ptr<c10::ClassType> type = module.type();
    const auto unit = module._ivalue()->compilation_unit();
    Module copy(namer_.Name(*type->name(), *unit), unit);
    copies_.insert({ObjectOf(module), copy});
    for (size_t i = 0; i < type->numAttributes(); ++i) {
      NS_RETURN_IF_ERROR(CopyAttribute(module, i, path, copy));
    }
    for (size_t i = 0; i < type->numConstants(); ++i) {
      copy.type()->addConstant(type->getConstantName(i), type->getConstant(i));
    }
    // Methods call each other, so all exist before the code of one is looked
    // at.
    for (const Function* method : type->methods()) {
      copy.type()->addMethod(CopyFunction(*method, *type, copy));
    }
    CopyHooks(*type, copy);
    return copy;
  }

 private:
  absl::Status CopyAttribute(const Module& module, size_t slot,
                             const std::string& path, Module& copy) {
    const std::shared_ptr<c10::ClassType> type = module.type();
    const std::string& name = type->getAttributeName(slot);
    c10::IValue value = module._ivalue()->getSlot(slot);
    c10::TypePtr attribute_type = type->getAttribute(slot);
    if (value.isModule()) {
      NS_ASSIGN_OR_RETURN(const Module child,
                          Copy(value.toModule(), JoinPath(path, name)));
      value = child._ivalue();
      // Behind an interface, the type stays, and code that calls it is refused.
      if (attribute_type->kind() == c10::TypeKind::ClassType) {
        attribute_type = child.type();
      }
    } else if (tensors_ == ModuleEditor::Tensors::kCopied) {
      value = copier_.Copy(value);
    }
    const size_t added = copy.type()->addAttribute(
        name, attribute_type, type->is_parameter(slot), type->is_buffer(slot));
    copy._ivalue()->setSlot(added, std::move(value));
    return absl::OkStatus();
  }

  const ModuleEditor::Tensors tensors_;
  ClassNamer& namer_;
  DeepCopier copier_;
  absl::flat_hash_map<Object, Module> copies_;
};

}  // namespace

absl::StatusOr<ModuleEditor> ModuleEditor::Copy(const Module& module,
                                                Tensors tensors) {
  return CatchTorchErrors(
      "copying the modules", [&]() -> absl::StatusOr<ModuleEditor> {
        ClassNamer namer;
        NS_ASSIGN_OR_RETURN(const Module root,
                            Copier(tensors, namer).Copy(module, ""));
        NS_RETURN_IF_ERROR(TypeAllModuleValues(root));
        return ModuleEditor(root, namer);
      });
}

std::vector<std::string> ModuleEditor::Paths() const {
  std::vector<std::string> paths;
  ForEachModule(root_, [&](const std::string& path, const Module&) {
    paths.push_back(path);
  });
  return paths;
}

absl::StatusOr<Module> ModuleEditor::At(absl::string_view path) const {
  Module module = root_;
  for (const absl::string_view name :
       absl::StrSplit(path, '.', absl::SkipEmpty())) {
    const std::string attribute(name);
    if (!module.hasattr(attribute) || !module.attr(attribute).isModule()) {
      const std::vector<std::string> paths = Paths();
      const std::vector<absl::string_view> names(paths.begin(), paths.end());
      return absl::NotFoundError(
          absl::StrCat("there is no module '", path, "'; ",
                       DidYouMean(path, names, "Paths lists those there are")));
    }
    module = module.attr(attribute).toModule();
  }
  return module;
}

absl::Status ModuleEditor::HookOutput(absl::string_view path,
                                      const std::string& name,
                                      const c10::IValue& object) {
  return Hook(path, name, object, /*is_input=*/false);
}

absl::Status ModuleEditor::HookInput(absl::string_view path,
                                     const std::string& name,
                                     const c10::IValue& object) {
  return Hook(path, name, object, /*is_input=*/true);
}

absl::Status ModuleEditor::Hook(absl::string_view path, const std::string& name,
                                const c10::IValue& object, bool is_input) {
  NS_ASSIGN_OR_RETURN(Module module, At(path));
  NS_RETURN_IF_ERROR(CheckHook(object));
  Function* forward = module.type()->findMethod("forward");
  const auto refuse = [&](absl::string_view why) {
    return absl::InvalidArgumentError(
        absl::StrCat("module '", path, "' cannot be hooked: ", why));
  };
  if (forward == nullptr) {
    return refuse("it has no method forward");
  }
  if (module.hasattr(name) || module.type()->findConstantSlot(name)) {
    return refuse(absl::StrCat("it has an attribute '", name, "' already"));
  }
  Graph& graph = *torch::jit::toGraphFunction(*forward).graph();
  Value* hooked = nullptr;
  if (is_input) {
    hooked = graph.inputs().size() > 1 ? graph.inputs()[1] : nullptr;
  } else {
    hooked = graph.outputs().size() == 1 ? graph.outputs()[0] : nullptr;
  }
  if (hooked == nullptr ||
      hooked->type()->kind() != c10::TypeKind::TensorType) {
    return refuse(
        absl::StrCat(is_input ? "its first argument is " : "it returns ",
                     hooked == nullptr ? "nothing" : hooked->type()->repr_str(),
                     ", not a tensor"));
  }
  module.register_attribute(name, object.type(), object);
  Node* place = is_input ? *graph.nodes().begin() : graph.return_node();
  NS_ASSIGN_OR_RETURN(
      Value * result,
      InsertMethodCall(module, graph, name, "forward", {hooked}, place));
  if (is_input) {
    hooked->replaceAllUsesAfterNodeWith(result->node(), result);
  } else {
    graph.return_node()->replaceInput(0, result);
  }
  return absl::OkStatus();
}

absl::Status ModuleEditor::Unhook(const std::vector<std::string>& paths,
                                  const std::string& name) {
  std::vector<std::pair<std::string, Module>> hooked;
  for (const std::string& path : paths) {
    NS_ASSIGN_OR_RETURN(const Module module, At(path));
    if (!module.hasattr(name)) {
      return absl::NotFoundError(
          absl::StrCat("module '", path, "' has no attribute '", name, "'"));
    }
    hooked.emplace_back(path, module);
  }
  NS_ASSIGN_OR_RETURN(const std::vector<Node*> reads,
                      ReadsOfHooks(root_, hooked, name));
  for (Node* read : reads) {
    const torch::jit::use_list uses = read->output()->uses();
    for (const torch::jit::Use& use : uses) {
      use.user->output()->replaceAllUsesWith(use.user->input(1));
      use.user->destroy();
    }
    read->destroy();
  }
  for (const std::string& path : paths) {
    NS_RETURN_IF_ERROR(RemoveAttribute(path, name));
  }
  return absl::OkStatus();
}

absl::Status ModuleEditor::RemoveAttribute(absl::string_view path,
                                           const std::string& name) {
  NS_ASSIGN_OR_RETURN(const Module module, At(path));
  if (module.hasattr(name)) {
    module._ivalue()->unsafeRemoveAttr(name);
    module.type()->unsafeRemoveAttribute(name);
  }
  return absl::OkStatus();
}

absl::Status ModuleEditor::Swap(
    const std::map<std::string, c10::IValue>& replacements) {
  // Copies have classes with names of their own. Of what is there twice, in one
  // replacement or two, there is one copy.
  Copier copier(Tensors::kShared, namer_);
  absl::flat_hash_map<Object, c10::IValue> by_object;
  for (const auto& [path, replacement] : replacements) {
    NS_ASSIGN_OR_RETURN(const Module swapped, At(path));
    if (ObjectOf(swapped) == ObjectOf(root_)) {
      return absl::InvalidArgumentError(
          "the root module cannot be swapped; use the new module instead");
    }
    for (size_t dot = path.find('.'); dot != std::string::npos;
         dot = path.find('.', dot + 1)) {
      if (replacements.count(path.substr(0, dot)) != 0) {
        return absl::InvalidArgumentError(absl::StrCat(
            "module '", path, "' is inside '", path.substr(0, dot),
            "', which is replaced, too; swap it in the new module instead"));
      }
    }
    c10::IValue now = replacement;
    if (replacement.isModule()) {
      NS_ASSIGN_OR_RETURN(Module copy,
                          copier.Copy(replacement.toModule(), path));
      NS_RETURN_IF_ERROR(
          CatchTorchErrors(absl::StrCat("module '", path, "', forward hooks"),
                           [&] { CopyHooks(*swapped.type(), copy); }));
      now = copy._ivalue();
    } else {
      NS_RETURN_IF_ERROR(CheckHook(replacement));
    }
    const auto [found, is_new] = by_object.insert({ObjectOf(swapped), now});
    if (!is_new && found->second.toObject() != now.toObject()) {
      return absl::InvalidArgumentError(
          absl::StrCat("module '", path,
                       "' has another path, too, and is given two "
                       "replacements; give one"));
    }
  }
  std::vector<Module> parents;
  ForEachModule(root_, [&](const std::string&, const Module& parent) {
    parents.push_back(parent);
  });
  for (const Module& parent : parents) {
    const auto type = parent.type();
    for (size_t i = 0; i < type->numAttributes(); ++i) {
      const c10::IValue& value = parent._ivalue()->getSlot(i);
      const auto found = value.isModule()
                             ? by_object.find(ObjectOf(value.toModule()))
                             : by_object.end();
      if (found != by_object.end()) {
        type->unsafeChangeAttributeType(type->getAttributeName(i),
                                        found->second.type());
        parent._ivalue()->setSlot(i, found->second);
      }
    }
  }
  return TypeAllModuleValues(root_);
}

}  // namespace ns
