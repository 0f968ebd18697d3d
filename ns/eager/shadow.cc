#include "ns/eager/shadow.h"

#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/graph/insert_op.h"
#include "ir/graph/module_path.h"
#include "ir/model/attach_attribute.h"
#include "ir/model/insert_method_call.h"
#include "ns/eager/forward_calls.h"

namespace ns {
namespace {

using ::torch::jit::Function;
using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;

bool HasTensor(const c10::Type& type) {
  if (type.isSubtypeOf(*c10::TensorType::get())) {
    return true;
  }
  // Tensors in the attributes of an object do not count.
  if (type.kind() == c10::TypeKind::ClassType) {
    return false;
  }
  for (const c10::TypePtr& inner : type.containedTypes()) {
    if (HasTensor(*inner)) {
      return true;
    }
  }
  return false;
}

// Whether `method` of another module takes what `call` passes to its own. It
// may have more arguments, if they have defaults, and fewer, if the call passes
// None for the others.
bool Takes(const Function& method, const Node& call) {
  const auto& arguments = method.getSchema().arguments();
  const size_t count = std::max(arguments.size(), call.inputs().size());
  for (size_t i = 1; i < count; ++i) {
    const bool fits =
        i >= call.inputs().size() ? arguments[i].default_value().has_value()
        : i >= arguments.size()
            ? call.input(i)->mustBeNone()
            : call.input(i)->type()->isSubtypeOf(*arguments[i].type());
    if (!fits) {
      return false;
    }
  }
  return true;
}

const Function* CounterpartOf(const Node& call, const c10::ClassType& type) {
  const std::string& name = call.s(c10::attr::name);
  const Function* same = type.findMethod(name);
  if (same != nullptr && Takes(*same, call)) {
    return same;
  }
  if (IsForward(name)) {
    for (const Function* method : type.methods()) {
      if (IsForward(method->name()) && Takes(*method, call)) {
        return method;
      }
    }
  }
  return nullptr;
}

// Returns the arguments for `method` of the float module, at `place`: copies of
// the arguments of `call`, which may be overwritten in between, and the
// defaults of those that `call` does not have.
absl::StatusOr<std::vector<Value*>> ArgumentsOf(const Function& method,
                                                Node* call, Node* place) {
  Graph& graph = *call->owningGraph();
  std::vector<Value*> arguments;
  {
    torch::jit::WithInsertPoint at(call);
    for (Value* argument : call->inputs().slice(1)) {
      if (HasTensor(*argument->type())) {
        NS_ASSIGN_OR_RETURN(argument,
                            InsertOp(graph, "ns::float_copy", {argument}));
      }
      arguments.push_back(argument);
    }
  }
  // The first formal argument is the module itself.
  const auto& formals = method.getSchema().arguments();
  arguments.resize(std::min(arguments.size(), formals.size() - 1));
  torch::jit::WithInsertPoint at(place);
  while (arguments.size() + 1 < formals.size()) {
    const c10::Argument& formal = formals[arguments.size() + 1];
    NS_ASSIGN_OR_RETURN(Value * constant, CatchTorchErrors([&] {
                          return graph.insertConstant(*formal.default_value());
                        }));
    arguments.push_back(constant);
  }
  return arguments;
}

absl::Status NoCounterpart(const Node& call, const c10::ClassType& type) {
  std::vector<std::string> arguments;
  for (size_t i = 1; i < call.inputs().size(); ++i) {
    arguments.push_back(call.input(i)->type()->repr_str());
  }
  const ModulePath callee = ModulePathOf(call);
  const std::string float_type =
      UnmangledTypeName(type.name()->qualifiedName());
  return absl::InvalidArgumentError(absl::StrCat(
      "module '", callee.fqn, "' cannot be shadowed: no method of the float ",
      float_type, " takes what '", call.s(c10::attr::name), "' of ",
      callee.type, " does, (", absl::StrJoin(arguments, ", "),
      "); take its type off the swap list"));
}

}  // namespace

absl::StatusOr<Shadow> Shadow::Attach(ModelGraph& host,
                                      const torch::jit::Module& float_module,
                                      ModuleLogger logger) {
  std::string attribute = FreeAttributeName(host.module(), "ns_shadow_");
  NS_RETURN_IF_ERROR(CatchTorchErrors("copying the float module", [&] {
    torch::jit::Module copy = float_module.clone(/*inplace=*/true);
    copy.eval();
    host.module().register_module(attribute, copy);
  }));
  return Shadow(host, std::move(attribute), std::move(logger));
}

absl::Status Shadow::Follow(Node* call) const {
  const auto type = host_->module().attr(attribute_).toModule().type();
  const Function* method = CounterpartOf(*call, *type);
  if (method == nullptr) {
    return NoCounterpart(*call, *type);
  }
  Node* const place = call->next();
  NS_ASSIGN_OR_RETURN(
      const std::vector<Value*> arguments,
      Annotated("adding a shadow", ArgumentsOf(*method, call, place)));
  NS_ASSIGN_OR_RETURN(
      Value* const output,
      Annotated("adding a shadow",
                InsertMethodCall(*host_, attribute_, method->name(), arguments,
                                 place)));
  return logger_.Call({call->output(), output}, place);
}

}  // namespace ns
