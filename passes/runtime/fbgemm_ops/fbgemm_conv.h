// Quantized convolutions on ns kernels, with fbgemm's results.
#ifndef PASSES_RUNTIME_FBGEMM_OPS_FBGEMM_CONV_H_
#define PASSES_RUNTIME_FBGEMM_OPS_FBGEMM_CONV_H_

#include <ATen/core/Tensor.h>
#include <torch/custom_class.h>

#include <cstdint>
#include <vector>

#include "passes/kernels/conv/conv.h"
#include "passes/kernels/saturation_mode.h"
#include "passes/runtime/fbgemm_ops/packed_weight.h"

namespace ns {

struct FbgemmConvParameters {
  // qint8: [out, in / groups, sizes of the kernel] or, transposed,
  // [in, out / groups, sizes of the kernel]. It has one scale, or one for each
  // output channel; only one when it is transposed and has several groups.
  at::Tensor weight;
  // float, [out], or undefined.
  at::Tensor bias;
  // One for each of the one to three dimensions of the kernel.
  std::vector<int64_t> stride;
  std::vector<int64_t> padding;
  std::vector<int64_t> dilation;
  // Empty unless transposed.
  std::vector<int64_t> output_padding;
  int64_t groups = 1;
  bool transposed = false;
};

// A convolution, packed for kernels: what takes the place of a
// Conv2dPackedParamsBase or Conv3dPackedParamsBase. Registered as
// torch.classes.ns.FbgemmConv with the methods weight(), bias() and numerics(),
// the name of its saturation mode. It saves the weight as it was given, and
// packs it again when it is loaded: files do not depend on the machine.
//
// Operators on it, X one of conv1d, conv2d, conv3d, conv_transpose1d,
// conv_transpose2d and conv_transpose3d:
//
//   ns::fbgemm_X(Tensor x, FbgemmConv layer, float scale, int zero_point)
//       -> Tensor
//   ns::fbgemm_X_relu(the same) -> Tensor
//   ns::fbgemm_X_clamp(the same, float min, float max) -> Tensor
//   ns::fbgemm_X_float(Tensor x, FbgemmConv layer) -> Tensor
//   ns::fbgemm_X_relu_float(the same) -> Tensor
//   ns::fbgemm_X_clamp_float(the same, float min, float max) -> Tensor
//   ns::fbgemm_X_dynamic(Tensor x, FbgemmConv layer, bool reduce_range=False)
//       -> Tensor
//
// Those that end in _float take quantized values and give floats: the sums of
// products as they are, without rounding them to quantized values. And,
// unless it is transposed, with one requantization for all three:
//
//   ns::fbgemm_X_add(Tensor x, FbgemmConv layer, Tensor other, float scale,
//                    int zero_point) -> Tensor
//   ns::fbgemm_X_add_relu(the same) -> Tensor
class FbgemmConv final : public torch::CustomClassHolder {
 public:
  // Throws c10::Error for parameters that are not those of a convolution.
  FbgemmConv(FbgemmConvParameters parameters, kernels::SaturationMode mode);

  // `x` is quint8, [batch, in, sizes], and the output quint8 or, for an output
  // of type kF32 or kS32, float values or int32 sums, [batch, out, sizes]. It
  // lies in memory with the channels last, whatever the layout of `x`. As float
  // ops do, and LibTorch's quantized ones do not, it takes [in, sizes], too,
  // and gives [out, sizes]. Throws for others.
  at::Tensor Run(const at::Tensor& x, const OutputQParams& output) const;

  // `x` is float, and quantized with the range of its own values, to 7 bits
  // with `reduce_range`. As LibTorch does, the output, float, takes the
  // quantized values of the input's scale and zero point on its way.
  at::Tensor RunDynamic(const at::Tensor& x, bool reduce_range) const;

  // The sum of the convolution and `other`, quint8, which broadcasts, with relu
  // or without: quantized once, where an add behind a convolution would
  // quantize twice.
  at::Tensor RunWithSum(const at::Tensor& x, const at::Tensor& other, bool relu,
                        double scale, int64_t zero_point) const;

  // Dimensions of the kernel, 1 to 3.
  int64_t dimensions() const { return parameters_.weight.dim() - 2; }
  const FbgemmConvParameters& parameters() const { return parameters_; }
  const kernels::ConvShape& shape() const { return packed_.shape(); }
  kernels::SaturationMode saturation_mode() const {
    return packed_.saturation_mode();
  }

 private:
  bool IsWithoutBatch(const at::Tensor& x) const;

  FbgemmConvParameters parameters_;
  kernels::PackedConv packed_;
  OutputPlans plans_;
};

}  // namespace ns

#endif  // PASSES_RUNTIME_FBGEMM_OPS_FBGEMM_CONV_H_
