// Takes the first tensor out of a value that may hold several.
#ifndef PASSES_REWRITE_FIRST_TENSOR_H_
#define PASSES_REWRITE_FIRST_TENSOR_H_

#include "absl/status/statusor.h"

namespace torch::jit {
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// Returns `value` when it is a tensor, and else the first tensor inside it. In
// a tuple, that is the first tensor of the first element that has any; in a
// list, that of the first element. Where a list turns out to be empty when the
// graph runs, it is a tensor without elements. The nodes that take the tensor
// out are inserted in front of `place`. TensorIn does so for other tensors than
// the first.
//
//   %tensor = prim::TupleIndex(%lstm_output, %zero)
//
// Error: the type of `value` does not promise a tensor, as that of a dict or of
// an optional tensor.
absl::StatusOr<torch::jit::Value*> FirstTensor(torch::jit::Value* value,
                                               torch::jit::Node* place);

}  // namespace ns

#endif  // PASSES_REWRITE_FIRST_TENSOR_H_
