// The layers inside the objects that LibTorch, or lowering, packs them into, in
// float.
//
// Weights are dequantized, whatever their scheme, and shaped as the float op's.
// Biases are as the user gave them: kernels round them later. None requires
// gradients. Error: as of packed_weights.h.
#ifndef PASSES_ANALYSIS_PACKED_LAYERS_H_
#define PASSES_ANALYSIS_PACKED_LAYERS_H_

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"

namespace ns {

// What aten::linear takes.
struct LinearLayer {
  at::Tensor weight;
  // Undefined, or zero, when there is none.
  at::Tensor bias;
};

// What aten::conv1d, aten::conv_transpose1d, ... take. Numbers are one for each
// spatial dimension.
struct ConvLayer {
  at::Tensor weight;
  // Undefined, or zero, when there is none.
  at::Tensor bias;
  std::vector<int64_t> stride;
  std::vector<int64_t> padding;
  // Of transposed convolutions.
  std::vector<int64_t> output_padding;
  std::vector<int64_t> dilation;
  int64_t groups = 1;
};

// Of a quantized.LinearPackedParamsBase, int8 or fp16, or an ns.FbgemmLinear.
absl::StatusOr<LinearLayer> UnpackLinear(const c10::IValue& packed);

// Of a quantized.Conv2dPackedParamsBase or Conv3dPackedParamsBase, transposed
// or not, or an ns.FbgemmConv. LibTorch packs a conv1d as a conv2d of height 1.
absl::StatusOr<ConvLayer> UnpackConv(const c10::IValue& packed, bool is_1d);

}  // namespace ns

#endif  // PASSES_ANALYSIS_PACKED_LAYERS_H_
