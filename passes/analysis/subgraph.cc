#include "passes/analysis/subgraph.h"

#include <torch/csrc/jit/ir/ir.h>

#include <vector>

#include "ir/node_view.h"

namespace ns {

using ::torch::jit::Value;

std::vector<Value*> DataInputsOf(const Subgraph& subgraph) {
  if (subgraph.start->blocks().empty()) {
    return DataInputs(*subgraph.start);
  }
  // The base op is in an arm: go back through ops that only reshape, until the
  // value is one from outside.
  std::vector<Value*> inputs = DataInputs(*subgraph.base);
  const torch::jit::Block* outside = subgraph.start->owningBlock();
  for (Value*& input : inputs) {
    while (input->node()->owningBlock() != outside) {
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
