// The tensors that a subgraph takes as quantized ones when it runs in int8.
#ifndef PASSES_QUANTIZATION_INT8_OPERANDS_H_
#define PASSES_QUANTIZATION_INT8_OPERANDS_H_

#include <optional>
#include <vector>

#include "passes/analysis/subgraph.h"

namespace torch::jit {
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

struct Int8Operand {
  torch::jit::Value* value;
  // What takes it: the node, or the list that is made for the node.
  torch::jit::Node* user;
};

// Returns the operands of `subgraph`, in order: its data inputs and, of a sum
// or product, constants, too. Nothing when only a run tells which they are, as
// for a list that ops append to.
std::optional<std::vector<Int8Operand>> Int8OperandsOf(
    const Subgraph& subgraph);

}  // namespace ns

#endif  // PASSES_QUANTIZATION_INT8_OPERANDS_H_
