// Gives convolutions and linear layers on ns kernels one interface.
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

// One of the two layers, which it shares with other holders, and what both have
// in common.
class FbgemmLayer {
 public:
  explicit FbgemmLayer(c10::intrusive_ptr<FbgemmConv> conv)
      : conv_(std::move(conv)) {}
  explicit FbgemmLayer(c10::intrusive_ptr<FbgemmLinear> linear)
      : linear_(std::move(linear)) {}

  // Gives nothing for a value that is neither.
  static std::optional<FbgemmLayer> Of(const c10::IValue& value);

  kernels::SaturationMode saturation_mode() const;
  // The weight, in LibTorch's order.
  const at::Tensor& weight() const;
  // A linear layer is a convolution of one position.
  kernels::ConvShape shape() const;

  // The same layer, whatever its saturation mode, in `mode`.
  FbgemmLayer With(kernels::SaturationMode mode) const;

  // int32 sums (kernels::OutputType::kS32) for `quantized`, a quint8 tensor.
  at::Tensor Sums(const at::Tensor& quantized) const;

  c10::IValue ToIValue() const;
  // Tells layers apart.
  const void* id() const;

 private:
  c10::intrusive_ptr<FbgemmConv> conv_;
  c10::intrusive_ptr<FbgemmLinear> linear_;
};

}  // namespace ns

#endif  // PASSES_RUNTIME_FBGEMM_OPS_FBGEMM_LAYER_H_
