// Takes a tensor out of a value that holds several.
#ifndef PASSES_REWRITE_TENSOR_IN_H_
#define PASSES_REWRITE_TENSOR_IN_H_

#include <cstddef>

#include "absl/status/statusor.h"

namespace torch::jit {
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// Tensor `place` of those in `value`, counted from 0 in the order of
// CountTensors (passes/analysis/op_outputs.h): `value` itself where it is a
// tensor, else an element of the tuple, at any depth, or the first element of
// the list. The nodes that take it out go in front of `node`.
//
//   %state = prim::TupleIndex(%lstm_output, %one)
//   %tensor = prim::TupleIndex(%state, %zero)
//
// Error: a value that is not known to hold so many tensors.
absl::StatusOr<torch::jit::Value*> TensorIn(torch::jit::Value* value,
                                            size_t place,
                                            torch::jit::Node* node);

}  // namespace ns

#endif  // PASSES_REWRITE_TENSOR_IN_H_
