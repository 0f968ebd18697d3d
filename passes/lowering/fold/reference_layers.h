// The layers of reference models, packed as LibTorch's quantized ops take them.
//
// A reference layer is a float op whose weight is dequantized from constant
// codes, as torch.ao.nn.quantized.reference writes it:
//
//   %codes = aten::quantize_per_channel(%weight, %scales, %zero_points, ...)
//   %w = aten::dequantize(%codes)
//   %y = aten::conv2d(%x, %w, %bias, %stride, ...)
//
// Freezing folds the first op into a constant and keeps the second
// (torch/csrc/jit/passes/constant_propagation.cpp names aten::dequantize among
// the ops it skips), so that scales and zero points are there to be packed.
//
// Errors are refusals (ir/refusal.h). Packing goes through the dispatcher, to
// the quantized engine that is set: what that cannot pack is such an error.
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

struct PackedLayer {
  // The quantized op's name without what follows: "linear", "conv2d",
  // "conv_transpose1d", "embedding_byte".
  std::string op;
  // quantized.LinearPackedParamsBase, ...
  c10::IValue parameters;
};

// The quantized tensor that `weight` is dequantized from.
absl::StatusOr<at::Tensor> ConstantCodes(const torch::jit::Value& weight);

// Of an aten::linear.
absl::StatusOr<PackedLayer> PackLinear(const torch::jit::Node& node);

// Of an aten::conv1d, aten::conv_transpose1d, ..., or an aten::_convolution,
// which tracing makes of all of them.
absl::StatusOr<PackedLayer> PackConv(const torch::jit::Node& node);

// Of an aten::embedding or aten::embedding_bag: "embedding_byte",
// "embedding_bag_4bit".
absl::StatusOr<PackedLayer> PackEmbedding(const torch::jit::Node& node);

}  // namespace ns

#endif  // PASSES_LOWERING_FOLD_REFERENCE_LAYERS_H_
