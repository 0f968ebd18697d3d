#include "passes/quantization/layers/int8_operands.h"

#include <torch/csrc/jit/ir/ir.h>

#include "ir/aliasing/data_inputs.h"
#include "ir/graph/node_view.h"
#include "passes/ops/op_table.h"

namespace ns {

using ::torch::jit::Node;
using ::torch::jit::Value;

std::optional<std::vector<Int8Operand>> Int8OperandsOf(
    const Subgraph& subgraph) {
  Node* start = subgraph.start;
  std::vector<Int8Operand> operands;
  if (!start->blocks().empty()) {
    for (Value* value : DataInputsOf(subgraph)) {
      operands.push_back({value, start});
    }
    return operands;
  }
  const OpRow* row = FindOp(OpName(*start));
  if (row != nullptr && row->spelling->fold == FoldForm::kBinary) {
    for (size_t i = 0; i < 2; ++i) {
      if (IsTensor(*start->input(i)) && !NumberOf(*start->input(i))) {
        operands.push_back({start->input(i), start});
      }
    }
    return operands;
  }
  Value* first = start->inputs().empty() ? nullptr : start->input(0);
  if (first != nullptr && IsTensorList(*first)) {
    Node* list = first->node();
    if (list->kind() != c10::prim::ListConstruct || IsWrittenTo(*first) ||
        first->uses().size() != 1) {
      return std::nullopt;
    }
    for (Value* element : list->inputs()) {
      operands.push_back({element, list});
    }
    return operands;
  }
  for (Value* value : DataInputs(*start)) {
    operands.push_back({value, start});
  }
  return operands;
}

}  // namespace ns
