#include "ir/hierarchy/module_values.h"

#include <torch/csrc/jit/ir/ir.h>

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ir/base/status.h"
#include "ir/graph/module_path.h"
#include "llvm/ADT/DenseMap.h"

namespace ns {
namespace {

using ::torch::jit::Block;
using ::torch::jit::Graph;
using ::torch::jit::Module;
using ::torch::jit::Node;
using ::torch::jit::Value;
namespace prim = ::c10::prim;

struct PlacedModule {
  Module module;
  std::string path;
};

// The index of the module whose method or field `node` uses; -1 for another.
int ObjectIndex(const Node& node) {
  if (node.kind() == prim::GetAttr || node.kind() == prim::SetAttr ||
      node.kind() == prim::CallMethod) {
    return 0;
  }
  // The only functions that take modules are hooks.
  return node.kind() == prim::CallFunction ? 1 : -1;
}

// Whether a function of `schema` takes what `node` hands it, from the object at
// `object` on, and returns what it gives.
bool Fits(const c10::FunctionSchema& schema, const Node& node, size_t object) {
  const auto& arguments = schema.arguments();
  bool fits = arguments.size() == node.inputs().size() - object;
  for (size_t i = 1; fits && i < arguments.size(); ++i) {
    fits = node.input(object + i)->type()->isSubtypeOf(*arguments[i].type());
  }
  const auto& returns = schema.returns();
  return fits && returns.size() == 1 &&
         returns[0].type()->isSubtypeOf(*node.output()->type());
}

std::string Named(const std::string& path) {
  return path.empty() ? "the root module" : absl::StrCat("module '", path, "'");
}

bool IsModuleType(const c10::Type& type) {
  if (const auto* interface = type.castRaw<c10::InterfaceType>()) {
    return interface->is_module();
  }
  const auto* object = type.castRaw<c10::ClassType>();
  return object != nullptr && object->is_module();
}

// Whether a value of `type` is a module, or holds some.
bool HoldsModules(const c10::Type& type) {
  if (IsModuleType(type)) {
    return true;
  }
  // What the attributes of an object hold is found when they are read.
  if (type.kind() == c10::TypeKind::ClassType) {
    return false;
  }
  for (const c10::TypePtr& inner : type.containedTypes()) {
    if (HoldsModules(*inner)) {
      return true;
    }
  }
  return false;
}

class Typer {
 public:
  explicit Typer(const PlacedModule& self) : self_(self) {}

  absl::Status Run(Graph& graph) {
    Bind(graph.inputs()[0], self_);
    return Visit(graph.block());
  }

 private:
  void Bind(Value* value, const PlacedModule& module) {
    value->setType(module.module.type());
    modules_[value] = module;
  }

  const PlacedModule* ModuleOf(const Value* value) const {
    const auto found = modules_.find(value);
    return found == modules_.end() ? nullptr : &found->second;
  }

  absl::Status Unclear(const Value& value, absl::string_view how) const {
    return absl::InvalidArgumentError(absl::StrCat(
        Named(self_.path), ": its code ", how, " (%", value.debugName(),
        "), and so does not say which module object it uses; write it without "
        "that"));
  }

  absl::Status Visit(Block* block) {
    for (Node* node : block->nodes()) {
      NS_RETURN_IF_ERROR(Visit(node));
    }
    for (const Value* output : block->outputs()) {
      if (ModuleOf(output) != nullptr) {
        return Unclear(*output, "hands a module out of a block");
      }
    }
    return absl::OkStatus();
  }

  absl::Status Visit(Node* node) {
    for (size_t i = 0; i < node->inputs().size(); ++i) {
      const Value& input = *node->input(i);
      const bool is_known = ModuleOf(&input) != nullptr;
      if (static_cast<int>(i) != ObjectIndex(*node)) {
        if (is_known && node->kind() != prim::fork) {
          return Unclear(input, "hands a module on as a value");
        }
      } else if (!is_known && IsModuleType(*input.type())) {
        return Unclear(input, "uses a module that is an argument");
      }
    }
    if (node->kind() == prim::GetAttr) {
      NS_RETURN_IF_ERROR(VisitGetAttr(node));
    } else if (node->kind() == prim::CallMethod) {
      NS_RETURN_IF_ERROR(VisitCall(node));
    } else if (node->kind() == prim::CallFunction) {
      NS_RETURN_IF_ERROR(VisitHook(node));
    } else if (node->kind() == prim::fork) {
      NS_RETURN_IF_ERROR(VisitFork(node));
    }
    for (Block* inner : node->blocks()) {
      NS_RETURN_IF_ERROR(Visit(inner));
    }
    for (const Value* output : node->outputs()) {
      if (ModuleOf(output) == nullptr && HoldsModules(*output->type())) {
        return Unclear(*output, "makes a value that holds modules");
      }
    }
    return absl::OkStatus();
  }

  absl::Status VisitGetAttr(Node* node) {
    const PlacedModule* owner = ModuleOf(node->input(0));
    if (owner == nullptr) {
      return absl::OkStatus();
    }
    const std::string& name = node->s(c10::attr::name);
    const std::shared_ptr<c10::ClassType> type = owner->module.type();
    const c10::optional<size_t> slot = type->findAttributeSlot(name);
    if (!slot) {
      return type->findConstantSlot(name)
                 ? absl::OkStatus()
                 : absl::InvalidArgumentError(absl::StrCat(
                       Named(owner->path), " has no attribute '", name,
                       "', which the code of ", Named(self_.path), " uses"));
    }
    const c10::TypePtr& attribute = type->getAttribute(*slot);
    if (attribute->kind() == c10::TypeKind::InterfaceType) {
      return IsModuleType(*attribute)
                 ? Unclear(*node->output(),
                           "calls a module through an interface")
                 : absl::OkStatus();
    }
    if (IsModuleType(*attribute)) {
      Bind(node->output(),
           {owner->module.attr(name).toModule(), JoinPath(owner->path, name)});
    } else {
      node->output()->setType(attribute);
    }
    return absl::OkStatus();
  }

  absl::Status VisitCall(Node* node) const {
    const PlacedModule* callee = ModuleOf(node->input(0));
    if (callee == nullptr) {
      return absl::OkStatus();
    }
    const std::string& name = node->s(c10::attr::name);
    const torch::jit::Function* method =
        callee->module.type()->findMethod(name);
    if (method == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat(Named(callee->path), " has no method '", name,
                       "', which the code of ", Named(self_.path), " calls"));
    }
    return CheckCall(*method, *node, 0);
  }

  // Calls of the same hook of two modules may share a constant, so each gets
  // one of its own.
  absl::Status VisitHook(Node* node) const {
    const PlacedModule* owner =
        node->inputs().size() > 1 ? ModuleOf(node->input(1)) : nullptr;
    if (owner == nullptr) {
      return absl::OkStatus();
    }
    Value* callee = node->input(0);
    const torch::jit::Function* called =
        callee->type()->expectRef<c10::FunctionType>().function();
    const std::string& name = called->name();
    torch::jit::Function* hook = owner->module.type()->findHook(name);
    if (hook == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat(Named(owner->path), " has no hook '", name,
                       "', which the code of ", Named(self_.path), " calls"));
    }
    if (called != hook) {
      Node* own = node->owningGraph()->create(prim::Constant);
      own->s_(c10::attr::name, name);
      own->output()->setType(c10::FunctionType::create(hook));
      node->replaceInput(0, own->insertBefore(node)->output());
      if (!callee->hasUses()) {
        callee->node()->destroy();
      }
    }
    return CheckCall(*hook, *node, 1);
  }

  // `object` is the index of the module that is called.
  absl::Status CheckCall(const torch::jit::Function& function, const Node& node,
                         size_t object) const {
    return Fits(function.getSchema(), node, object)
               ? absl::OkStatus()
               : absl::InvalidArgumentError(absl::StrCat(
                     Named(ModuleOf(node.input(object))->path), ": its ",
                     object == 0 ? "method" : "hook", " is ",
                     c10::toString(function.getSchema()), ", and the code of ",
                     Named(self_.path), " calls it otherwise"));
  }

  // What is forked is a graph of its own, whose inputs are those of the node.
  absl::Status VisitFork(Node* node) {
    Graph& forked = *node->g(c10::attr::Subgraph);
    for (size_t i = 0; i < node->inputs().size(); ++i) {
      if (const PlacedModule* module = ModuleOf(node->input(i))) {
        Bind(forked.inputs()[i], PlacedModule(*module));
      }
    }
    return Visit(forked.block());
  }

  const PlacedModule& self_;
  llvm::DenseMap<const Value*, PlacedModule> modules_;
};

}  // namespace

absl::Status TypeModuleValues(const Module& module, const std::string& path,
                              Graph& graph) {
  const PlacedModule self = {module, path};
  return Typer(self).Run(graph);
}

}  // namespace ns
