#include "passes/analysis/subgraph.h"

#include <torch/csrc/jit/ir/ir.h>

#include <vector>

#include "ir/control_flow.h"
#include "ir/node_view.h"

namespace ns {

using ::torch::jit::Value;

std::vector<Value*> DataInputsOf(const Subgraph& subgraph) {
  if (subgraph.start->blocks().empty()) {
    return DataInputs(*subgraph.start);
  }
  // The base op is in an arm: go back through ops that only reshape, and
  // through control flow that does, until the value is one from outside.
  std::vector<Value*> inputs = DataInputs(*subgraph.base);
  for (Value*& input : inputs) {
    while (IsInside(*input->node(), *subgraph.start)) {
      if (input->node()->kind() == c10::prim::If) {
        input = input->node()->blocks()[0]->outputs()[input->offset()];
        continue;
      }
      const std::vector<Value*> inner = DataInputs(*input->node());
      if (inner.empty()) {
        break;
      }
      input = inner.front();
    }
  }
  return inputs;
}

}  // namespace ns
