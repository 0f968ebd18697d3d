// Packs the weights of the layers of reference models as LibTorch's quantized
// ops take them.
//
// A reference layer is a float op whose weight is dequantized from a constant
// quantized tensor, as torch.ao.nn.quantized.reference writes it:
//
//   %q = aten::quantize_per_channel(%weight, %scales, %zero_points, ...)
//   %w = aten::dequantize(%q)
//   %y = aten::conv2d(%x, %w, %bias, %stride, ...)
//
// Freezing folds the first op into a constant and keeps the second
// (torch/csrc/jit/passes/constant_propagation.cpp names aten::dequantize among
// the ops it skips), so that scales and zero points are there to be packed.
//
// Errors are refusals (ir/base/refusal.h). The quantized engine that is set
// packs the weights (passes/rewrite/prepack.h); a weight that it cannot pack is
// such an error.
#ifndef PASSES_LOWERING_FOLD_REFERENCE_LAYERS_H_
#define PASSES_LOWERING_FOLD_REFERENCE_LAYERS_H_

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <string>

#include "absl/status/statusor.h"

namespace torch::jit {
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// A packed layer, and the op that takes it.
struct PackedLayer {
  // The name of the quantized op without namespace and suffixes: "linear",
  // "conv2d", "conv_transpose1d".
  std::string op;
  // The packed weight, bias and numbers: a quantized.LinearPackedParamsBase or
  // the class that the op takes instead.
  c10::IValue parameters;
};

// Returns the constant quantized tensor that `weight` is dequantized from.
absl::StatusOr<at::Tensor> ConstantQuantized(const torch::jit::Value& weight);

// Packs an aten::linear.
absl::StatusOr<PackedLayer> PackLinear(const torch::jit::Node& node);

// Packs an aten::conv1d, aten::conv_transpose1d, ..., or an aten::_convolution,
// which tracing writes for all of them.
absl::StatusOr<PackedLayer> PackConv(const torch::jit::Node& node);

}  // namespace ns

#endif  // PASSES_LOWERING_FOLD_REFERENCE_LAYERS_H_
