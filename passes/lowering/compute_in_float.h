// Computes an int8 op of a lowered graph in float.
#ifndef PASSES_LOWERING_COMPUTE_IN_FLOAT_H_
#define PASSES_LOWERING_COMPUTE_IN_FLOAT_H_

#include <vector>

#include "absl/status/statusor.h"

namespace torch::jit {
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

class GraphEditor;

// An op that computes in float what an int8 op does.
struct FloatComputation {
  // What the int8 op gives, before it is rounded.
  torch::jit::Value* output = nullptr;
  // The nodes that dequantize its inputs, in order.
  std::vector<torch::jit::Node*> dequantizes;
};

// Inserts before `node`, an ns op, what it computes in float:
//
//   %y = ns::fbgemm_add_relu(%a, %b, %scale, %zero_point)
// is computed by
//   %p = ns::fbgemm_dequantize(%a)
//   %q = ns::fbgemm_dequantize(%b)
//   %s = aten::add(%p, %q)
//   %f = aten::relu(%s)
//
// This is for ops with an output scale that compute element by element (add,
// mul, and activations such as silu), and for layer_norm. `node` and its uses
// stay. Refusal: it is another op.
absl::StatusOr<FloatComputation> ComputeInFloat(GraphEditor& editor,
                                                torch::jit::Node* node);

}  // namespace ns

#endif  // PASSES_LOWERING_COMPUTE_IN_FLOAT_H_
