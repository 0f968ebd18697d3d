#include "tests/testing/hooks.h"

#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/ir/ir.h>

#include <set>
#include <vector>

#include "ir/graph/graph_walk.h"

namespace ns {
namespace {

using ::torch::jit::Function;
using ::torch::jit::Graph;
using ::torch::jit::Module;
using ::torch::jit::Node;
using ::torch::jit::Value;

// Compiles `source` to a function of the class of `module`, but no method.
Function& Compile(const std::string& source, Module& module) {
  std::set<std::string> before;
  for (const Function* method : module.type()->methods()) {
    before.insert(method->name());
  }
  module.define(source);
  for (Function* method : module.type()->methods()) {
    if (before.count(method->name()) == 0) {
      module.type()->unsafeRemoveMethod(method->name());
      return *method;
    }
  }
  TORCH_CHECK(false, "the source defines no new method: ", source);
}

std::vector<Node*> CallsOf(const std::string& child, Graph& graph) {
  std::vector<Node*> calls;
  ForEachNode(graph.block(), [&](Node* node) {
    if (node->kind() == c10::prim::CallMethod &&
        node->input(0)->node()->kind() == c10::prim::GetAttr &&
        node->input(0)->node()->s(c10::attr::name) == child) {
      calls.push_back(node);
    }
  });
  return calls;
}

Value* InsertCall(Function& function, const std::vector<Value*>& arguments) {
  Graph& graph = *arguments[0]->owningGraph();
  Node* constant = graph.insertNode(graph.create(c10::prim::Constant));
  constant->s_(c10::attr::name, function.name());
  constant->output()->setType(c10::FunctionType::create(&function));
  std::vector<Value*> inputs = {constant->output()};
  inputs.insert(inputs.end(), arguments.begin(), arguments.end());
  return graph.insertNode(graph.create(c10::prim::CallFunction, inputs))
      ->output()
      ->setType(function.getSchema().returns()[0].type());
}

Graph& ForwardOf(const Module& module) {
  return *torch::jit::toGraphFunction(module.get_method("forward").function())
              .graph();
}

void CallHook(Function& hook, const std::string& name, const Module& parent) {
  for (Node* call : CallsOf(name, ForwardOf(parent))) {
    Graph& graph = *call->owningGraph();
    const torch::jit::WithInsertPoint at(call->next());
    Value* input =
        graph.insertNode(graph.createTuple({call->input(1)}))->output();
    Value* result = InsertCall(hook, {call->input(0), input, call->output()});
    call->output()->replaceAllUsesAfterNodeWith(result->node(), result);
  }
}

}  // namespace

void AddPreHook(const std::string& source, const std::string& name,
                Module& parent) {
  Module child = parent.attr(name).toModule();
  Function& hook = Compile(source, child);
  child.type()->addForwardPreHook(&hook);
  for (Node* call : CallsOf(name, ForwardOf(parent))) {
    Graph& graph = *call->owningGraph();
    const torch::jit::WithInsertPoint at(call);
    Value* input =
        graph.insertNode(graph.createTuple({call->input(1)}))->output();
    Value* result = InsertCall(hook, {call->input(0), input});
    call->replaceInput(
        1, graph.insertNode(graph.createTupleUnpack(result))->output());
  }
}

void AddHook(const std::string& source, const std::string& name,
             Module& parent) {
  Module child = parent.attr(name).toModule();
  Function& hook = Compile(source, child);
  child.type()->addForwardHook(&hook);
  CallHook(hook, name, parent);
}

void CallHooks(const std::string& name, Module& parent) {
  for (Function* hook :
       parent.attr(name).toModule().type()->getForwardHooks()) {
    CallHook(*hook, name, parent);
  }
}

}  // namespace ns
