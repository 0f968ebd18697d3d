// One interface for the two kinds of layers on ns kernels: convolutions and
// linear layers.
#ifndef PASSES_RUNTIME_FBGEMM_OPS_FBGEMM_LAYER_H_
#define PASSES_RUNTIME_FBGEMM_OPS_FBGEMM_LAYER_H_

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <optional>
#include <utility>

#include "passes/kernels/conv_shape.h"
#include "passes/kernels/saturation_mode.h"
#include "passes/runtime/fbgemm_ops/fbgemm_conv.h"
#include "passes/runtime/fbgemm_ops/fbgemm_linear.h"

namespace ns {

// Holds an FbgemmConv or an FbgemmLinear. Copies share it.
class FbgemmLayer {
 public:
  explicit FbgemmLayer(c10::intrusive_ptr<FbgemmConv> conv)
      : conv_(std::move(conv)) {}
  explicit FbgemmLayer(c10::intrusive_ptr<FbgemmLinear> linear)
      : linear_(std::move(linear)) {}

  // Returns the layer that `value` holds; nothing if it is neither of the two.
  static std::optional<FbgemmLayer> Of(const c10::IValue& value);

  kernels::SaturationMode saturation_mode() const;
  // The quantized weight, with the dimensions that LibTorch gives it.
  const at::Tensor& weight() const;
  // Of a linear layer, the shape of a convolution with a kernel of size 1.
  kernels::ConvShape shape() const;

  // Returns a new layer with the same weight and bias, in the saturation mode
  // `mode`.
  FbgemmLayer With(kernels::SaturationMode mode) const;

  // Runs the layer on `quantized`, a quint8 tensor, in its saturation mode.
  // Returns the int32 sums of products, corrected for the zero points, without
  // the bias and not scaled (kS32 in passes/kernels/output_pipeline.h). Throws
  // c10::Error for an input that the layer does not take.
  at::Tensor Sums(const at::Tensor& quantized) const;

  c10::IValue ToIValue() const;
  // Identifies the layer that is held: equal for all holders of one layer.
  const void* id() const;

 private:
  c10::intrusive_ptr<FbgemmConv> conv_;
  c10::intrusive_ptr<FbgemmLinear> linear_;
};

}  // namespace ns

#endif  // PASSES_RUNTIME_FBGEMM_OPS_FBGEMM_LAYER_H_
