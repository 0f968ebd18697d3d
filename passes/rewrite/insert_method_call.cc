#include "passes/rewrite/insert_method_call.h"

#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <vector>

namespace ns {

using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;

Value* InsertMethodCall(ModelGraph& model, const std::string& attribute,
                        const std::string& method,
                        const std::vector<Value*>& arguments, Node* place) {
  Graph& graph = model.graph();
  torch::jit::WithInsertPoint at(place);
  Value* object = graph.insertGetAttr(graph.inputs()[0], attribute);
  std::vector<Value*> inputs = {object};
  inputs.insert(inputs.end(), arguments.begin(), arguments.end());
  Node* call = graph.insertNode(graph.create(c10::prim::CallMethod, inputs));
  call->s_(c10::attr::name, method);
  const auto& returns = object->type()
                            ->expect<c10::ClassType>()
                            ->getMethod(method)
                            .getSchema()
                            .returns();
  return call->output()->setType(returns.empty() ? c10::NoneType::get()
                                                 : returns[0].type());
}

}  // namespace ns
