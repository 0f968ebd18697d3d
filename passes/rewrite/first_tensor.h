// Takes the first tensor out of a value that may hold several.
#ifndef PASSES_REWRITE_FIRST_TENSOR_H_
#define PASSES_REWRITE_FIRST_TENSOR_H_

#include "absl/status/statusor.h"

namespace torch::jit {
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// Returns `value` when it is a tensor, and else the first tensor inside it:
// that of the first element of a tuple that has one, or of the first element of
// a list. The nodes that take it out are inserted in front of `place`.
//
//   %tensor = prim::TupleIndex(%lstm_output, %zero)
//
// Error: the type of `value` has no tensor at a known place.
absl::StatusOr<torch::jit::Value*> FirstTensor(torch::jit::Value* value,
                                               torch::jit::Node* place);

}  // namespace ns

#endif  // PASSES_REWRITE_FIRST_TENSOR_H_
