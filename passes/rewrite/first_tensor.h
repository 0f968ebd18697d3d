// The tensor that stands for an output of several.
#ifndef PASSES_REWRITE_FIRST_TENSOR_H_
#define PASSES_REWRITE_FIRST_TENSOR_H_

#include "absl/status/statusor.h"

namespace torch::jit {
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// `value` where it is a tensor, else the first tensor inside it: of a tuple,
// the first element that has one; of a list, the first element. The nodes that
// take it out go in front of `place`.
//
//   %tensor = prim::TupleIndex(%lstm_output, %zero)
//
// Error: a type that has no tensor at a known place.
absl::StatusOr<torch::jit::Value*> FirstTensor(torch::jit::Value* value,
                                               torch::jit::Node* place);

}  // namespace ns

#endif  // PASSES_REWRITE_FIRST_TENSOR_H_
