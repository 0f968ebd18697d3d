#include "ir/hierarchy/hook_code.h"

#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "ir/graph/graph_walk.h"
#include "ir/model/forward_hooks.h"

namespace ns {
namespace {

using ::torch::jit::Function;
using ::torch::jit::Module;
using ::torch::jit::Node;

// Whether `use` of an object calls its `forward` with one value.
bool HandsOnWhatItObserves(const torch::jit::Use& use) {
  return use.user->kind() == c10::prim::CallMethod && use.offset == 0 &&
         use.user->s(c10::attr::name) == "forward" &&
         use.user->inputs().size() == 2;
}

// Whether `node` reads an attribute for calls of a hook alone.
bool IsReadOfHook(const Node& node) {
  return node.kind() == c10::prim::GetAttr &&
         std::all_of(node.output()->uses().begin(), node.output()->uses().end(),
                     HandsOnWhatItObserves);
}

// Whether `node` reads or writes an attribute called `name`.
bool NamesAttribute(const Node& node, const std::string& name) {
  return (node.kind() == c10::prim::GetAttr ||
          node.kind() == c10::prim::SetAttr) &&
         node.s(c10::attr::name) == name;
}

// The name of a class; empty for other types.
std::string ClassOf(const c10::Type& type) {
  const auto* named = type.castRaw<c10::ClassType>();
  return named == nullptr ? "" : named->name()->qualifiedName();
}

class ReadFinder {
 public:
  ReadFinder(const std::vector<std::pair<std::string, Module>>& hooked,
             const std::string& name)
      : name_(name) {
    for (const auto& [path, module] : hooked) {
      paths_[ClassOf(*module.type())] = path;
    }
  }

  // `user` is the path of `module`.
  void Visit(const std::string& user, const Module& module) {
    for (Function* method : module.type()->methods()) {
      Visit(user, *method, ClassOf(*module.type()));
    }
    for (Function* hook : ForwardHooks(*module.type())) {
      Visit(user, *hook, /*own=*/"");
    }
  }

  absl::StatusOr<std::vector<Node*>> Reads() && {
    return status_.ok() ? absl::StatusOr<std::vector<Node*>>(std::move(reads_))
                        : status_;
  }

 private:
  // `own` is the class whose hooks the code may call; empty for none.
  void Visit(const std::string& user, Function& function,
             const std::string& own) {
    ForEachNode(
        torch::jit::toGraphFunction(function).graph()->block(),
        [&](Node* node) {
          if (!NamesAttribute(*node, name_)) {
            return;
          }
          const std::string owner = ClassOf(*node->input(0)->type());
          const auto path = paths_.find(owner);
          if (path == paths_.end()) {
            return;
          }
          if (owner == own && IsReadOfHook(*node)) {
            reads_.push_back(node);
            return;
          }
          status_.Update(absl::InvalidArgumentError(absl::StrCat(
              "the code of module '", user, "' uses the attribute '", name_,
              "' of module '", path->second,
              "' otherwise than a hook; keep the hook, or remove that code")));
        });
  }

  const std::string name_;
  // The paths of hooked modules, by their classes.
  absl::flat_hash_map<std::string, std::string> paths_;
  std::vector<Node*> reads_;
  absl::Status status_;
};

}  // namespace

absl::Status CheckHook(const c10::IValue& object) {
  const Function* forward =
      object.isObject() ? object.toObject()->type()->findMethod("forward")
                        : nullptr;
  const bool fits = forward != nullptr &&
                    forward->getSchema().arguments().size() == 2 &&
                    c10::TensorType::get()->isSubtypeOf(
                        *forward->getSchema().arguments()[1].type()) &&
                    forward->getSchema().returns().size() == 1 &&
                    forward->getSchema().returns()[0].type()->kind() ==
                        c10::TypeKind::TensorType;
  return fits ? absl::OkStatus()
              : absl::InvalidArgumentError(
                    "what is hooked to a module must have a method "
                    "forward(Tensor) -> Tensor");
}

absl::StatusOr<std::vector<Node*>> ReadsOfHooks(
    const Module& root,
    const std::vector<std::pair<std::string, Module>>& hooked,
    const std::string& name) {
  ReadFinder finder(hooked, name);
  absl::flat_hash_set<const c10::ivalue::Object*> seen;
  for (const auto& named : root.named_modules()) {
    if (seen.insert(named.value._ivalue().get()).second) {
      finder.Visit(named.name, named.value);
    }
  }
  return std::move(finder).Reads();
}

}  // namespace ns
