// Finds ops in place that have an equal form out-of-place.
#ifndef PASSES_REWRITE_EQUAL_OUT_OF_PLACE_H_
#define PASSES_REWRITE_EQUAL_OUT_OF_PLACE_H_

#include "llvm/ADT/DenseSet.h"

namespace torch::jit {
struct Graph;
struct Node;
}  // namespace torch::jit

namespace ns {

// LibTorch's RemoveTensorMutation, and passes like it, make ops in place
// out-of-place where no other value shares the memory that they write. This
// knows what schemas do not tell. Of a graph as it was when the object was
// made; do not ask for nodes that came later.
class EqualOutOfPlace {
 public:
  explicit EqualOutOfPlace(torch::jit::Graph& graph);

  // False if the form out-of-place would give another type
  // (promotes_out_of_place.h), or if the write is seen through an op before
  // `node` that may return its input (ir/aliasing/returned_input.h):
  //
  //   %z : Tensor = aten::type_as(%y, %w)
  //   %1 : Tensor = aten::mul_(%z, %two)      may change %y
  //
  // A write that only the next trip of a loop sees so is not found.
  bool Has(const torch::jit::Node& node) const;

 private:
  llvm::DenseSet<const torch::jit::Node*> seen_elsewhere_;
};

}  // namespace ns

#endif  // PASSES_REWRITE_EQUAL_OUT_OF_PLACE_H_
