#include "ir/flatten/inline_modules.h"

#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/ir/scope.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "ir/base/torch_errors.h"
#include "ir/flatten/replace_futures.h"
#include "ir/graph/graph_walk.h"
#include "ir/graph/module_path.h"
#include "ir/graph/node_view.h"
#include "ir/graph/source_line.h"
#include "llvm/ADT/SmallVector.h"

namespace ns {
namespace {

using ::torch::jit::Block;
using ::torch::jit::Function;
using ::torch::jit::Graph;
using ::torch::jit::GraphFunction;
using ::torch::jit::Node;
using ::torch::jit::ScopePtr;
using ::torch::jit::Value;
namespace prim = ::c10::prim;

// Bounds the recursion, far beyond the depth of any real module hierarchy.
constexpr int kMaxCallDepth = 500;

// A module and its path below the root.
struct ModuleInstance {
  c10::intrusive_ptr<c10::ivalue::Object> object;
  std::string fqn;
};

class Inliner {
 public:
  Inliner(const torch::jit::Module& root, Graph& graph,
          const LeafPredicate& is_leaf)
      : root_(root), graph_(graph), is_leaf_(is_leaf) {}

  // Returns whether any call was replaced.
  bool Run() {
    const std::string type =
        UnmangledTypeName(root_.type()->name()->qualifiedName());
    InlineRange(graph_.block()->nodes().front(), graph_.block()->return_node(),
                ScopeFor({"", 0, type}, graph_.current_scope()), 0);
    if (has_forks_) {
      ReplaceFuturesByValues(graph_);
    }
    return has_inlined_;
  }

 private:
  // Inlines the calls among the nodes [first, last) of one block.
  void InlineRange(Node* first, Node* last, const ScopePtr& scope, int depth) {
    TORCH_CHECK(depth < kMaxCallDepth, "calls nest deeper than ", kMaxCallDepth,
                "; recursive modules cannot be inlined");
    for (Node* node = first; node != last;) {
      // Steps on first, since a call is replaced.
      Node* next = node->next();
      node->setScope(scope);
      if (node->kind() == prim::CallMethod) {
        InlineMethod(node, scope, depth);
      } else if (node->kind() == prim::CallFunction) {
        InlineFunction(node, scope, depth);
      } else if (node->kind() == prim::fork) {
        has_forks_ = true;
        InlineGraph(node, *node->g(c10::attr::Subgraph), node->inputs(), scope,
                    depth);
      } else {
        for (Block* block : node->blocks()) {
          InlineRange(block->nodes().front(), block->return_node(), scope,
                      depth);
        }
      }
      node = next;
    }
  }

  void InlineMethod(Node* call, const ScopePtr& scope, int depth) {
    Value* self = call->input(0);
    const std::string& method = call->s(c10::attr::name);
    ScopePtr callee_scope = scope;
    c10::ClassTypePtr type = self->type()->cast<c10::ClassType>();
    if (std::optional<ModuleInstance> instance = Resolve(self)) {
      type = instance->object->type();
      const ModulePath caller = ModulePathOf(*call);
      if (instance->fqn != caller.fqn && !IsFusedModule(caller.type)) {
        const std::string type_name =
            UnmangledTypeName(type->name()->qualifiedName());
        const ModulePath callee = {instance->fqn, calls_[instance->fqn]++,
                                   type_name};
        callee_scope = ScopeFor(callee, scope);
        if (is_leaf_ && is_leaf_(callee)) {
          call->setScope(callee_scope);
          return;
        }
      }
    }
    TORCH_CHECK(type, "the module that method '", method,
                "' is called on is not known before run time (",
                self->type()->repr_str(), ")");
    Function* function = type->findMethod(method);
    TORCH_CHECK(function, "no method '", method, "' in ", type->repr_str());
    InlineCallee(call, function, call->inputs(), callee_scope, depth);
  }

  void InlineFunction(Node* call, const ScopePtr& scope, int depth) {
    const auto type = call->input(0)->type()->cast<c10::FunctionType>();
    TORCH_CHECK(type, "a call of an unknown function");
    const std::string name =
        UnmangledTypeName(type->function()->qualname().qualifiedName());
    if (is_leaf_ && is_leaf_({ModulePathOf(*call).fqn, 0, name})) {
      return;
    }
    InlineCallee(call, type->function(), call->inputs().slice(1), scope, depth);
  }

  void InlineCallee(Node* call, Function* function,
                    at::ArrayRef<Value*> arguments, const ScopePtr& scope,
                    int depth) {
    GraphFunction* callee = torch::jit::tryToGraphFunction(*function);
    if (callee != nullptr) {
      InlineGraph(call, *callee->graph(), arguments, scope, depth);
    }
  }

  // Replaces `call` by `body`.
  void InlineGraph(Node* call, Graph& body, at::ArrayRef<Value*> arguments,
                   const ScopePtr& scope, int depth) {
    Node* before = call->prev();
    std::vector<Value*> results;
    {
      torch::jit::WithInsertPoint at(call);
      std::unordered_map<Value*, Value*> copies;
      results = torch::jit::insertGraph(graph_, body, arguments, copies);
    }
    for (size_t i = 0; i < call->outputs().size(); ++i) {
      Value* output = call->output(i);
      if (output->hasDebugName() && !results[i]->hasDebugName()) {
        results[i]->setDebugName(output->debugNameBase());
      }
      output->replaceAllUsesWith(results[i]);
    }
    Node* after = call->next();
    for (Node* node = before->next(); node != call; node = node->next()) {
      TakeLineOfCall(*node, *call);
    }
    call->destroy();
    has_inlined_ = true;
    // The nodes between the two are now the callee's body.
    InlineRange(before->next(), after, scope, depth + 1);
  }

  // Returns the module that `value` is, when it is reached from the graph's
  // first input through prim::GetAttr alone.
  std::optional<ModuleInstance> Resolve(Value* value) const {
    llvm::SmallVector<const std::string*, 8> names;
    while (value->node()->kind() == prim::GetAttr) {
      names.push_back(&value->node()->s(c10::attr::name));
      value = value->node()->input(0);
    }
    if (graph_.inputs().empty() || value != graph_.inputs()[0]) {
      return std::nullopt;
    }
    ModuleInstance instance = {root_._ivalue(), ""};
    for (auto it = names.rbegin(); it != names.rend(); ++it) {
      const c10::IValue attribute = instance.object->getAttr(**it);
      if (!attribute.isObject()) {
        return std::nullopt;
      }
      instance.object = attribute.toObject();
      absl::StrAppend(&instance.fqn, instance.fqn.empty() ? "" : ".", **it);
    }
    if (!instance.object->type()->is_module()) {
      return std::nullopt;
    }
    return instance;
  }

  const torch::jit::Module& root_;
  Graph& graph_;
  const LeafPredicate& is_leaf_;
  // The number of calls so far of each module, by fqn.
  absl::flat_hash_map<std::string, int> calls_;
  bool has_forks_ = false;
  bool has_inlined_ = false;
};

}  // namespace

LeafPredicate LeafTypes(std::vector<std::string> types) {
  return [types = std::move(types)](const ModulePath& callee) {
    return std::any_of(types.begin(), types.end(), [&](const auto& name) {
      return IsTypeNamed(callee.type, name);
    });
  };
}

absl::StatusOr<bool> InlineModules(const torch::jit::Module& root, Graph& graph,
                                   const LeafPredicate& is_leaf) {
  return CatchTorchErrors("inlining the modules",
                          [&] { return Inliner(root, graph, is_leaf).Run(); });
}

std::vector<Node*> LeafCalls(Graph& graph) {
  std::vector<Node*> calls;
  ForEachNode(graph.block(), [&](Node* node) {
    if (IsLeafCall(*node)) {
      calls.push_back(node);
    }
  });
  return calls;
}

}  // namespace ns
