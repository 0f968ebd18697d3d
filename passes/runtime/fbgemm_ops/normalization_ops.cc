// ns::fbgemm_layer_norm, ns::fbgemm_group_norm and ns::fbgemm_instance_norm:
// what quantized::layer_norm and so on take; and the latter two inputs of two
// dimensions, which the float ops take and LibTorch's quantized ones do not.
#include <ATen/core/Tensor.h>
#include <torch/library.h>

#include <functional>
#include <numeric>

#include "passes/kernels/normalization/group_norm.h"
#include "passes/kernels/normalization/layer_norm.h"
#include "passes/kernels/normalization/normalization_spec.h"
#include "passes/runtime/fbgemm_ops/quantized_data.h"
#include "passes/runtime/fbgemm_ops/torch_parallel.h"

namespace ns {
namespace {

// `parameter`, dense, of `count` floats; undefined when there is none.
at::Tensor Parameter(const char* op, const c10::optional<at::Tensor>& parameter,
                     int64_t count) {
  if (!parameter || !parameter->defined()) {
    return {};
  }
  TORCH_CHECK(
      parameter->scalar_type() == at::kFloat && parameter->numel() == count, op,
      ": weight and bias must be ", count, " floats");
  return parameter->contiguous();
}

const float* DataOf(const at::Tensor& parameter) {
  return parameter.defined() ? parameter.data_ptr<float>() : nullptr;
}

kernels::NormalizationSpec SpecOf(const at::Tensor& x, const at::Tensor& weight,
                                  const at::Tensor& bias, double eps,
                                  const at::Tensor& out) {
  kernels::NormalizationSpec spec;
  spec.input_scale = QParamsOf(x).scale;
  spec.input_zero_point = QParamsOf(x).zero_point;
  spec.weight = DataOf(weight);
  spec.bias = DataOf(bias);
  spec.eps = eps;
  spec.output_scale = QParamsOf(out).scale;
  spec.output_zero_point = QParamsOf(out).zero_point;
  return spec;
}

at::Tensor LayerNorm(const at::Tensor& x, at::IntArrayRef normalized_shape,
                     const c10::optional<at::Tensor>& weight,
                     const c10::optional<at::Tensor>& bias, double eps,
                     double scale, int64_t zero_point) {
  constexpr char kOp[] = "fbgemm_layer_norm";
  CheckQuantized(x, kOp);
  CheckQParams(scale, zero_point, kOp);
  const int64_t dimensions = static_cast<int64_t>(normalized_shape.size());
  TORCH_CHECK(dimensions >= 1 && x.dim() >= dimensions &&
                  x.sizes().slice(x.dim() - dimensions) == normalized_shape,
              kOp, ": normalizes ", normalized_shape,
              ", and the input is of size ", x.sizes());
  const int64_t n =
      std::accumulate(normalized_shape.begin(), normalized_shape.end(),
                      int64_t{1}, std::multiplies<>());
  const at::Tensor dense = x.contiguous();
  const at::Tensor weights = Parameter(kOp, weight, n);
  const at::Tensor biases = Parameter(kOp, bias, n);
  at::Tensor out = EmptyQuantized(x.sizes(), scale, zero_point);
  if (out.numel() == 0) {
    return out;
  }
  kernels::LayerNorm(QuantizedDataOf(dense), out.numel() / n, n,
                     SpecOf(x, weights, biases, eps, out),
                     MutableQuantizedDataOf(out), TorchParallel);
  return out;
}

at::Tensor NormalizeGroups(const char* op, const at::Tensor& x, int64_t groups,
                           const c10::optional<at::Tensor>& weight,
                           const c10::optional<at::Tensor>& bias, double eps,
                           double scale, int64_t zero_point) {
  CheckQParams(scale, zero_point, op);
  const int64_t channels = x.size(1);
  TORCH_CHECK(groups > 0 && channels % groups == 0, op, ": ", channels,
              " channels are not ", groups, " groups of as many each");
  const at::Tensor weights = Parameter(op, weight, channels);
  const at::Tensor biases = Parameter(op, bias, channels);
  // The layout is that of LibTorch.
  const bool channels_last =
      x.dim() == 4 && x.is_contiguous(at::MemoryFormat::ChannelsLast);
  const at::Tensor dense =
      x.contiguous(channels_last ? at::MemoryFormat::ChannelsLast
                                 : at::MemoryFormat::Contiguous);
  at::Tensor out = EmptyQuantizedLike(dense, scale, zero_point);
  if (out.numel() == 0) {
    return out;
  }
  kernels::GroupNormShape shape;
  shape.images = x.size(0);
  shape.channels = channels;
  shape.groups = groups;
  shape.positions = x.numel() / (shape.images * channels);
  shape.channels_last = channels_last;
  kernels::GroupNorm(QuantizedDataOf(dense), shape,
                     SpecOf(x, weights, biases, eps, out),
                     MutableQuantizedDataOf(out), TorchParallel);
  return out;
}

// Of [batch, channels, ...].
void CheckImages(const at::Tensor& x, const char* op) {
  CheckQuantized(x, op);
  TORCH_CHECK(x.dim() >= 2, op,
              ": takes two dimensions or more, and the input is of size ",
              x.sizes());
}

at::Tensor GroupNorm(const at::Tensor& x, int64_t num_groups,
                     const c10::optional<at::Tensor>& weight,
                     const c10::optional<at::Tensor>& bias, double eps,
                     double output_scale, int64_t output_zero_point) {
  constexpr char kOp[] = "fbgemm_group_norm";
  CheckImages(x, kOp);
  return NormalizeGroups(kOp, x, num_groups, weight, bias, eps, output_scale,
                         output_zero_point);
}

at::Tensor InstanceNorm(const at::Tensor& x,
                        const c10::optional<at::Tensor>& weight,
                        const c10::optional<at::Tensor>& bias, double eps,
                        double output_scale, int64_t output_zero_point) {
  constexpr char kOp[] = "fbgemm_instance_norm";
  CheckImages(x, kOp);
  TORCH_CHECK(x.size(1) > 0, kOp, ": the input has no channels: it is of size ",
              x.sizes());
  return NormalizeGroups(kOp, x, /*groups=*/x.size(1), weight, bias, eps,
                         output_scale, output_zero_point);
}

TORCH_LIBRARY_FRAGMENT(ns, library) {
  library.def(
      "fbgemm_layer_norm(Tensor x, int[] normalized_shape, Tensor? weight, "
      "Tensor? bias, float eps, float scale, int zero_point) -> Tensor",
      LayerNorm);
  library.def(
      "fbgemm_group_norm(Tensor x, int num_groups, Tensor? weight, Tensor? "
      "bias, float eps, float output_scale, int output_zero_point) -> Tensor",
      GroupNorm);
  library.def(
      "fbgemm_instance_norm(Tensor x, Tensor? weight, Tensor? bias, float eps, "
      "float output_scale, int output_zero_point) -> Tensor",
      InstanceNorm);
}

}  // namespace
}  // namespace ns
