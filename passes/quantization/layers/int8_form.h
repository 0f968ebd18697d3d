// Tells how one call of a float op runs on quantized values, once its inputs
// are quantized (reference: the BackendConfig of PyTorch's native backend).
#ifndef PASSES_QUANTIZATION_LAYERS_INT8_FORM_H_
#define PASSES_QUANTIZATION_LAYERS_INT8_FORM_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "passes/ops/shape_limits.h"

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

// Which scale and zero point the output gets.
enum class Int8Form {
  kOwnRange,      // its own: the op is given them
  kRangeOfInput,  // those of its first input: pools, clamps, reshapes
  kFixedRange,    // those of FixedRangeOf (passes/ops/op_table.h): tanh
};

// Returns how `node`, a float op, runs in int8 with the ops of LibTorch and of
// the quantized engine that is set. It is what fold-reference-quantization will
// do, and the table of ops decides (FoldForm). Error: a refusal
// (ir/base/refusal.h) for ops and for calls that have no int8 form: only ns
// kernels compute them, an argument forbids it, or a weight is not constant.
absl::StatusOr<Int8Form> Int8FormOf(const torch::jit::Node& node);

// Returns the index of the input of `node`, a float op, that its int8 op takes
// packed: the weight of a linear layer or a convolution; -1 where there is
// none.
int PackedWeightInput(const torch::jit::Node& node);

// True for calls that return their first input: a dropout in evaluation.
bool HandsOnItsInput(const torch::jit::Node& node);

// True for ops that move or pick elements of their first input, so that the
// output holds no other values than that, and that are not quantized by
// themselves: reshapes, slices, HandsOnItsInput. LibTorch runs them on
// quantized tensors.
bool MovesValues(const torch::jit::Node& node);

// Returns which shapes the first input of `node` may have for its int8 op to
// run without an error, among those that the float op takes.
ShapeLimits LimitsInInt8(const torch::jit::Node& node);

}  // namespace ns

#endif  // PASSES_QUANTIZATION_LAYERS_INT8_FORM_H_
