#include "passes/runtime/fbgemm_ops/fbgemm_conv.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <utility>

#include "passes/runtime/fbgemm_ops/quantize_dynamically.h"
#include "passes/runtime/fbgemm_ops/quantized_data.h"
#include "passes/runtime/fbgemm_ops/quantized_sum.h"
#include "passes/runtime/fbgemm_ops/torch_parallel.h"

namespace ns {
namespace {

constexpr char kLayer[] = "FbgemmConv";
using Ints = std::vector<int64_t>;

// Numbers of the last dimensions, behind `otherwise`.
kernels::Dims ToDims(const Ints& numbers, int64_t otherwise) {
  kernels::Dims dims = {otherwise, otherwise, otherwise};
  std::copy(numbers.begin(), numbers.end(), dims.end() - numbers.size());
  return dims;
}

kernels::ConvShape ShapeOf(const FbgemmConvParameters& p) {
  TORCH_CHECK(p.weight.defined() && p.weight.dim() >= 3 && p.weight.dim() <= 5,
              kLayer, ": the weight must have three to five dimensions");
  const size_t dimensions = p.weight.dim() - 2;
  TORCH_CHECK(
      p.stride.size() == dimensions && p.padding.size() == dimensions &&
          p.dilation.size() == dimensions &&
          p.output_padding.size() == (p.transposed ? dimensions : 0),
      kLayer,
      ": stride, padding, dilation and, of transposed convolutions, output "
      "padding need one number for each dimension of the kernel");
  TORCH_CHECK(p.groups <= p.weight.size(0), kLayer,
              ": groups do not divide the channels");
  kernels::ConvShape shape;
  shape.groups = p.groups;
  shape.transposed = p.transposed;
  shape.is_3d = dimensions == 3;
  shape.in_channels =
      p.transposed ? p.weight.size(0) : p.weight.size(1) * p.groups;
  shape.out_channels =
      p.transposed ? p.weight.size(1) * p.groups : p.weight.size(0);
  const Ints kernel(p.weight.sizes().begin() + 2, p.weight.sizes().end());
  shape.kernel = ToDims(kernel, 1);
  shape.stride = ToDims(p.stride, 1);
  shape.padding = ToDims(p.padding, 0);
  shape.dilation = ToDims(p.dilation, 1);
  shape.output_padding = ToDims(p.output_padding, 0);
  const char* const invalid = kernels::InvalidConv(shape);
  TORCH_CHECK(invalid == nullptr, kLayer, ": ", invalid);
  return shape;
}

// The dimension of output channels. With more than one group, those of a
// transposed weight are not all told apart: its scale must be one.
int64_t ChannelAxis(const FbgemmConvParameters& p) {
  TORCH_CHECK(!p.transposed || p.groups == 1 ||
                  p.weight.qscheme() == at::kPerTensorAffine,
              kLayer,
              ": the weight of a transposed convolution with groups must have "
              "one scale");
  return p.transposed ? 1 : 0;
}

kernels::PackedConv Pack(const FbgemmConvParameters& p,
                         kernels::SaturationMode mode) {
  const kernels::ConvShape shape = ShapeOf(p);
  TORCH_CHECK(p.weight.scalar_type() == at::kQInt8, kLayer,
              ": the weight must be a qint8 tensor");
  const at::Tensor dense = p.weight.contiguous();
  return kernels::PackedConv(
      shape, static_cast<const int8_t*>(dense.data_ptr()), mode);
}

at::Tensor EmptyOutput(const Ints& sizes, const OutputQParams& output) {
  switch (output.type) {
    case kernels::OutputType::kF32:
      return EmptyChannelsLast(sizes, at::kFloat);
    case kernels::OutputType::kS32:
      return EmptyChannelsLast(sizes, at::kInt);
    default:
      return EmptyChannelsLast(sizes, output.scale, output.qparams.zero_point);
  }
}

}  // namespace

FbgemmConv::FbgemmConv(FbgemmConvParameters parameters,
                       kernels::SaturationMode mode)
    : parameters_(std::move(parameters)),
      packed_(Pack(parameters_, mode)),
      plans_(ReadWeightQParams(parameters_.weight, ChannelAxis(parameters_),
                               kLayer),
             ReadBias(parameters_.bias, packed_.shape().out_channels, kLayer),
             packed_.column_sums(), packed_.k()) {}

bool FbgemmConv::IsWithoutBatch(const at::Tensor& x) const {
  return x.dim() == dimensions() + 1;
}

at::Tensor FbgemmConv::Run(const at::Tensor& x,
                           const OutputQParams& output) const {
  CheckQuantized(x, kLayer);
  if (IsWithoutBatch(x)) {
    return Run(x.unsqueeze(0), output).squeeze(0);
  }
  const kernels::ConvShape& shape = packed_.shape();
  TORCH_CHECK(x.dim() == dimensions() + 2 && x.size(1) == shape.in_channels,
              kLayer, ": takes a batch of ", shape.in_channels,
              " channels with ", dimensions(),
              " dimensions, and the input is of size ", x.sizes());
  const Ints size(x.sizes().begin() + 2, x.sizes().end());
  const kernels::Dims input = ToDims(size, 1);
  const kernels::Dims computed = kernels::ConvOutput(shape, input);
  Ints sizes = {x.size(0), shape.out_channels};
  for (int64_t i = 3 - dimensions(); i < 3; ++i) {
    TORCH_CHECK(computed[i] > 0 && input[i] > 0, kLayer,
                ": the input is of size ", x.sizes(),
                ", which is too small for the kernel");
    sizes.push_back(computed[i]);
  }
  at::Tensor out = EmptyOutput(sizes, output);
  if (out.numel() > 0) {
    const at::Tensor dense = ChannelsLast(x);
    const auto plan = plans_.Get(QParamsOf(x), output);
    kernels::Conv(QuantizedDataOf(dense), x.size(0), input, packed_, *plan,
                  out.data_ptr(), TorchParallel);
  }
  return out;
}

at::Tensor FbgemmConv::RunWithSum(const at::Tensor& x, const at::Tensor& other,
                                  bool relu, double scale,
                                  int64_t zero_point) const {
  CheckQuantized(other, kLayer);
  if (IsWithoutBatch(x) && other.dim() <= x.dim()) {
    return RunWithSum(x.unsqueeze(0), other, relu, scale, zero_point)
        .squeeze(0);
  }
  return AddQuantized(Run(x, FloatOutput()), other, relu, scale, zero_point,
                      OutputLayout::kChannelsLast, kLayer);
}

at::Tensor FbgemmConv::RunDynamic(const at::Tensor& x,
                                  bool reduce_range) const {
  const at::Tensor quantized = QuantizeDynamically(x, reduce_range, kLayer);
  OutputQParams output;
  output.qparams = QParamsOf(quantized);
  output.scale = quantized.q_scale();
  return Run(quantized, output).dequantize();
}

}  // namespace ns
