// Unpacks the layers that LibTorch, or lowering, has packed, and gives them in
// float.
//
// Weights are dequantized, whatever their scheme, and have the shape of the
// float op's weight. Biases are as the user gave them: kernels round them
// later. No tensor requires gradients. Errors are those of packed_weights.h.
#ifndef PASSES_ANALYSIS_PACKED_LAYERS_H_
#define PASSES_ANALYSIS_PACKED_LAYERS_H_

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"

namespace ns {

// The arguments of an aten::linear, all but its input.
struct LinearLayer {
  at::Tensor weight;
  // Undefined, or zero, when there is none.
  at::Tensor bias;
};

// The arguments of an aten::conv1d, aten::conv_transpose1d, ..., all but its
// input. Lists have one number for each spatial dimension.
struct ConvLayer {
  at::Tensor weight;
  // Undefined, or zero, when there is none.
  at::Tensor bias;
  std::vector<int64_t> stride;
  std::vector<int64_t> padding;
  // Empty unless the convolution is transposed.
  std::vector<int64_t> output_padding;
  std::vector<int64_t> dilation;
  int64_t groups = 1;
};

// Unpacks a quantized.LinearPackedParamsBase, int8 or fp16, or an
// ns.FbgemmLinear.
absl::StatusOr<LinearLayer> UnpackLinear(const c10::IValue& packed);

// Unpacks a quantized.Conv2dPackedParamsBase or Conv3dPackedParamsBase,
// transposed or not, or an ns.FbgemmConv. LibTorch packs a conv1d as a conv2d
// of height 1: `is_1d` says that it is one.
absl::StatusOr<ConvLayer> UnpackConv(const c10::IValue& packed, bool is_1d);

}  // namespace ns

#endif  // PASSES_ANALYSIS_PACKED_LAYERS_H_
