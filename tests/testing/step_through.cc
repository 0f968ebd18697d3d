#include "tests/testing/step_through.h"

#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/runtime/interpreter.h>

#include <map>
#include <memory>
#include <utility>

#include "llvm/ADT/DenseMap.h"

namespace ns {
namespace {

using ::torch::jit::Block;
using ::torch::jit::Node;
using ::torch::jit::Value;
namespace prim = ::c10::prim;

class Stepper {
 public:
  explicit Stepper(const SeeOp& see) : see_(see) {}

  std::vector<c10::IValue> Run(const Block& block,
                               const std::vector<c10::IValue>& inputs) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      values_[block.inputs()[i]] = inputs[i];
    }
    for (const Node* node : block.nodes()) {
      const std::vector<c10::IValue> outputs = RunNode(*node);
      for (size_t i = 0; i < outputs.size(); ++i) {
        values_[node->output(i)] = outputs[i];
      }
    }
    return Get(block.outputs());
  }

 private:
  std::vector<c10::IValue> Get(at::ArrayRef<const Value*> values) {
    std::vector<c10::IValue> found;
    for (const Value* value : values) {
      found.push_back(values_.lookup(value));
    }
    return found;
  }

  std::vector<c10::IValue> RunNode(const Node& node) {
    const std::vector<c10::IValue> inputs = Get(node.inputs());
    if (node.kind() == prim::Constant) {
      return {*torch::jit::toIValue(node.output())};
    }
    if (node.kind() == prim::If) {
      return Run(*node.blocks()[inputs.at(0).toBool() ? 0 : 1], {});
    }
    if (node.kind() == prim::Loop) {
      return RunLoop(*node.blocks()[0], inputs);
    }
    if (node.maybeOperator() == nullptr) {
      return RunAlone(node, inputs);
    }
    torch::jit::Stack stack = inputs;
    node.getOperation()(stack);
    see_(node, inputs, stack);
    return stack;
  }

  // Runs an op that only the interpreter can run: prim::ListConstruct and the
  // like.
  static std::vector<c10::IValue> RunAlone(
      const Node& node, const std::vector<c10::IValue>& inputs) {
    auto graph = std::make_shared<torch::jit::Graph>();
    Node* alone = graph->insertNode(
        graph->createClone(const_cast<Node*>(&node), [&](Value* value) {
          return graph->addInput()->setType(value->type());
        }));
    for (Value* output : alone->outputs()) {
      graph->registerOutput(output);
    }
    const torch::jit::Code code(graph, "");
    torch::jit::Stack stack = inputs;
    torch::jit::InterpreterState(code).run(stack);
    return stack;
  }

  std::vector<c10::IValue> RunLoop(const Block& body,
                                   const std::vector<c10::IValue>& inputs) {
    std::vector<c10::IValue> carried(inputs.begin() + 2, inputs.end());
    bool goes_on = inputs.at(1).toBool();
    for (int64_t trip = 0; goes_on && trip < inputs.at(0).toInt(); ++trip) {
      carried.insert(carried.begin(), trip);
      carried = Run(body, carried);
      goes_on = carried.front().toBool();
      carried.erase(carried.begin());
    }
    return carried;
  }

  const SeeOp& see_;
  llvm::DenseMap<const Value*, c10::IValue> values_;
};

}  // namespace

std::vector<c10::IValue> StepThrough(const torch::jit::Graph& graph,
                                     const std::vector<c10::IValue>& inputs,
                                     const SeeOp& see) {
  return Stepper(see).Run(*graph.block(), inputs);
}

}  // namespace ns
