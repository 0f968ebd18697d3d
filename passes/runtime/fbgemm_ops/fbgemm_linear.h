// A quantized linear layer on ns kernels, with fbgemm's results.
#ifndef PASSES_RUNTIME_FBGEMM_OPS_FBGEMM_LINEAR_H_
#define PASSES_RUNTIME_FBGEMM_OPS_FBGEMM_LINEAR_H_

#include <ATen/core/Tensor.h>
#include <torch/custom_class.h>

#include <string>

#include "passes/kernels/gemm/packed_matrix.h"
#include "passes/kernels/saturation_mode.h"
#include "passes/runtime/fbgemm_ops/packed_weight.h"
#include "passes/runtime/fbgemm_ops/quantize_dynamically.h"

namespace ns {

// Weight and bias of a linear layer, packed for kernels: what takes the place
// of a LinearPackedParamsBase. Registered as torch.classes.ns.FbgemmLinear with
// the methods weight(), bias() and numerics(), the name of its saturation mode.
// It saves the weight as it was given, and packs it again when it is loaded:
// files do not depend on the machine.
//
// Operators on it:
//
//   ns::fbgemm_linear(Tensor x, FbgemmLinear layer, float scale,
//                     int zero_point) -> Tensor
//   ns::fbgemm_linear_relu(the same) -> Tensor
//   ns::fbgemm_linear_clamp(the same, float min, float max) -> Tensor
//   ns::fbgemm_linear_add(Tensor x, FbgemmLinear layer, Tensor other,
//                         float scale, int zero_point) -> Tensor
//   ns::fbgemm_linear_add_relu(the same) -> Tensor
//   ns::fbgemm_linear_float(Tensor x, FbgemmLinear layer) -> Tensor
//   ns::fbgemm_linear_relu_float(the same) -> Tensor
//   ns::fbgemm_linear_clamp_float(the same, float min, float max) -> Tensor
//   ns::fbgemm_linear_dynamic(Tensor x, FbgemmLinear layer,
//                             bool reduce_range=False,
//                             bool round_as_onednn=False) -> Tensor
//   ns::fbgemm_linear_relu_dynamic(the same) -> Tensor
//
// Those that end in _float take quantized values and give floats: the sums of
// products as they are, without rounding them to quantized values.
class FbgemmLinear final : public torch::CustomClassHolder {
 public:
  // `weight` is qint8, [out, in], with one scale or one for each output; `bias`
  // float, [out], or undefined. Throws c10::Error for others.
  FbgemmLinear(at::Tensor weight, at::Tensor bias,
               kernels::SaturationMode mode);

  // `x` is quint8, [..., in], and the output quint8 or, for an output of type
  // kF32 or kS32 (kernels::OutputType), float values or int32 sums without the
  // bias, [..., out]. No layer gives kS8. Throws for an `x` of another kind.
  at::Tensor Run(const at::Tensor& x, const OutputQParams& output) const;

  // The sum of the layer's output and `other`, quint8, which broadcasts, with
  // relu or without: quantized once, where an add behind the layer would
  // quantize twice.
  at::Tensor RunWithSum(const at::Tensor& x, const at::Tensor& other, bool relu,
                        double scale, int64_t zero_point) const;

  // `x` is float, [..., in], and is quantized by QuantizeDynamically, to 7 bits
  // with `reduce_range`. The output is float, [..., out]. Throws for others and
  // for infinities.
  at::Tensor RunDynamic(const at::Tensor& x, bool reduce_range, bool relu,
                        DynamicRounding rounding) const;

  const at::Tensor& weight() const { return weight_; }
  const at::Tensor& bias() const { return bias_; }
  kernels::SaturationMode saturation_mode() const { return mode_; }

 private:
  // Quantized values [rows, in] to `out`, rows of the output's type.
  void Multiply(const uint8_t* quantized, int64_t rows,
                kernels::QParams activation, const OutputQParams& output,
                void* out) const;
  void CheckColumns(const at::Tensor& x) const;

  at::Tensor weight_;
  at::Tensor bias_;
  kernels::SaturationMode mode_;
  kernels::PackedMatrix packed_;
  OutputPlans plans_;
};

}  // namespace ns

#endif  // PASSES_RUNTIME_FBGEMM_OPS_FBGEMM_LINEAR_H_
