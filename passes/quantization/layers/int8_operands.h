// Finds the tensors that must be quantized for a float subgraph to run in int8.
#ifndef PASSES_QUANTIZATION_LAYERS_INT8_OPERANDS_H_
#define PASSES_QUANTIZATION_LAYERS_INT8_OPERANDS_H_

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
  // The node that has `value` among its inputs: the first one of the subgraph
  // or, for an op that takes a list, the prim::ListConstruct that makes it.
  torch::jit::Node* user;
};

// Returns the operands of `subgraph`, in the order of the arguments; a tensor
// that is taken twice is there twice. They are the data inputs
// (analysis/subgraph.h). Of an op with two operands (aten::add, mul, matmul,
// ...) and of a list, tensors that are constant count, too; numbers do not.
//
// Returns nullopt where an op takes a list of tensors that is not made by one
// prim::ListConstruct for this op alone: an argument of the model, a list that
// ops append to, or one that is used twice.
std::optional<std::vector<Int8Operand>> Int8OperandsOf(
    const Subgraph& subgraph);

}  // namespace ns

#endif  // PASSES_QUANTIZATION_LAYERS_INT8_OPERANDS_H_
