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

// Returns tensor number `place` of those in `value`, counted from 0 in the
// order of CountTensors (passes/analysis/op_outputs.h): `value` itself when it
// is a tensor, and else an element of a tuple, at any depth, or of the first
// element of a list. Of a list of tensors, it is the element with the index
// `place`. Where a run finds the list to be shorter, it is a tensor without
// elements. With kAllElements of passes/analysis/op_outputs.h, it holds the
// values of all elements. The nodes that take it out are inserted in front of
// `node`.
//
//   %state = prim::TupleIndex(%lstm_output, %one)
//   %tensor = prim::TupleIndex(%state, %zero)
//
//   %tensor = ns::all_elements(%list)
//
// Error: `value` is not known to hold so many tensors.
absl::StatusOr<torch::jit::Value*> TensorIn(torch::jit::Value* value,
                                            size_t place,
                                            torch::jit::Node* node);

}  // namespace ns

#endif  // PASSES_REWRITE_TENSOR_IN_H_
