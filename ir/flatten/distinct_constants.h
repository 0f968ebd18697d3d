// Keeps LibTorch's passes from comparing all constants with each other.
#ifndef IR_FLATTEN_DISTINCT_CONSTANTS_H_
#define IR_FLATTEN_DISTINCT_CONSTANTS_H_

#include <cstddef>

namespace torch::jit {
struct Graph;
}  // namespace torch::jit

namespace ns {

// Makes passes that look for equal nodes faster while the object exists.
//
// LibTorch's common subexpression elimination and constant pooling keep nodes
// in a hash table, but all tensors have the same hash: a model with n weights
// takes about n^2 / 2 comparisons of tensors. The hash of a node covers its
// inputs, so the object gives each constant that holds a tensor, a string or
// packed parameters an input. Equal constants get the same one:
//
//   graph(%self, %x, %a : int, %b : int):
//     %weight0 = prim::Constant[value=<Tensor>](%a)
//     %weight1 = prim::Constant[value=<Tensor>](%b)
//     %copy_of_weight0 = prim::Constant[value=<Tensor>](%a)
//
// The passes therefore merge the same constants as without it. The destructor
// removes the inputs, also those of copies of the constants. The graph must
// exist for longer than the object.
class DistinctConstants {
 public:
  explicit DistinctConstants(torch::jit::Graph& graph);
  ~DistinctConstants();
  DistinctConstants(const DistinctConstants&) = delete;
  DistinctConstants& operator=(const DistinctConstants&) = delete;

 private:
  torch::jit::Graph& graph_;
  // The number of inputs of the graph without those of constants.
  const size_t own_inputs_;
};

}  // namespace ns

#endif  // IR_FLATTEN_DISTINCT_CONSTANTS_H_
