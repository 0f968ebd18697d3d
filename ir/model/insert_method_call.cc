#include "ir/model/insert_method_call.h"

#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "ir/base/status.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;

// Returns the method `method` of the object at `attribute`.
absl::StatusOr<const torch::jit::Function*> MethodOf(
    const torch::jit::Module& module, const std::string& attribute,
    const std::string& method) {
  const c10::TypePtr type = module.type()->findAttribute(attribute);
  if (type == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("the model has no attribute '", attribute, "'"));
  }
  const auto object = type->cast<c10::ClassType>();
  const torch::jit::Function* function =
      object == nullptr ? nullptr : object->findMethod(method);
  if (function == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("attribute '", attribute, "', a ", type->annotation_str(),
                     ", has no method '", method, "'"));
  }
  return function;
}

}  // namespace

absl::StatusOr<Value*> InsertMethodCall(ModelGraph& model,
                                        const std::string& attribute,
                                        const std::string& method,
                                        const std::vector<Value*>& arguments,
                                        Node* place) {
  return InsertMethodCall(model.module(), model.graph(), attribute, method,
                          arguments, place);
}

absl::StatusOr<Value*> InsertMethodCall(const torch::jit::Module& module,
                                        Graph& graph,
                                        const std::string& attribute,
                                        const std::string& method,
                                        const std::vector<Value*>& arguments,
                                        Node* place) {
  NS_ASSIGN_OR_RETURN(const torch::jit::Function* function,
                      MethodOf(module, attribute, method));
  if (graph.inputs().empty() ||
      graph.inputs()[0]->type()->kind() != c10::TypeKind::ClassType) {
    return absl::InvalidArgumentError(
        "the graph has no module as its first input, whose methods it could "
        "call; give a model");
  }
  torch::jit::WithInsertPoint at(place);
  Value* object = graph.insertGetAttr(graph.inputs()[0], attribute);
  std::vector<Value*> inputs = {object};
  inputs.insert(inputs.end(), arguments.begin(), arguments.end());
  Node* call = graph.insertNode(graph.create(c10::prim::CallMethod, inputs));
  call->s_(c10::attr::name, method);
  const auto& returns = function->getSchema().returns();
  return call->output()->setType(returns.empty() ? c10::NoneType::get()
                                                 : returns[0].type());
}

}  // namespace ns
