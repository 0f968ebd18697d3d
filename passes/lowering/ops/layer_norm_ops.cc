// ns::fbgemm_layer_norm: what quantized::layer_norm takes.
#include <ATen/core/Tensor.h>
#include <torch/library.h>

#include <functional>
#include <numeric>

#include "passes/lowering/kernels/normalization/layer_norm.h"
#include "passes/lowering/ops/codes.h"
#include "passes/lowering/ops/torch_parallel.h"

namespace ns {
namespace {

constexpr char kOp[] = "fbgemm_layer_norm";

// `parameter`, dense, of `count` floats; undefined when there is none.
at::Tensor Parameter(const c10::optional<at::Tensor>& parameter,
                     int64_t count) {
  if (!parameter || !parameter->defined()) {
    return {};
  }
  TORCH_CHECK(
      parameter->scalar_type() == at::kFloat && parameter->numel() == count,
      kOp, ": weight and bias must be ", count, " floats");
  return parameter->contiguous();
}

at::Tensor LayerNorm(const at::Tensor& x, at::IntArrayRef normalized_shape,
                     const c10::optional<at::Tensor>& weight,
                     const c10::optional<at::Tensor>& bias, double eps,
                     double scale, int64_t zero_point) {
  CheckCodes(x, kOp);
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
  const at::Tensor weights = Parameter(weight, n);
  const at::Tensor biases = Parameter(bias, n);
  at::Tensor out = EmptyCodes(x.sizes(), scale, zero_point);
  if (out.numel() == 0) {
    return out;
  }
  kernels::LayerNormSpec spec;
  spec.input_scale = QParamsOf(x).scale;
  spec.input_zero_point = QParamsOf(x).zero_point;
  spec.weight = weights.defined() ? weights.data_ptr<float>() : nullptr;
  spec.bias = biases.defined() ? biases.data_ptr<float>() : nullptr;
  spec.eps = eps;
  spec.output_scale = QParamsOf(out).scale;
  spec.output_zero_point = QParamsOf(out).zero_point;
  kernels::LayerNorm(CodesOf(dense), out.numel() / n, n, spec,
                     MutableCodesOf(out), TorchParallel);
  return out;
}

TORCH_LIBRARY_FRAGMENT(ns, library) {
  library.def(
      "fbgemm_layer_norm(Tensor x, int[] normalized_shape, Tensor? weight, "
      "Tensor? bias, float eps, float scale, int zero_point) -> Tensor",
      LayerNorm);
}

}  // namespace
}  // namespace ns
