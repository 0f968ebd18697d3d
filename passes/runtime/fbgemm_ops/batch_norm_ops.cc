// ns::fbgemm_batch_norm and ns::fbgemm_batch_norm_relu: what
// quantized::batch_norm2d takes, with any number of dimensions.
#include <ATen/core/Tensor.h>
#include <torch/library.h>

#include <cmath>
#include <string>
#include <vector>

#include "passes/kernels/elementwise/scale_channels.h"
#include "passes/runtime/fbgemm_ops/quantized_data.h"
#include "passes/runtime/fbgemm_ops/torch_parallel.h"

namespace ns {
namespace {

// Dense, of as many floats as there are channels; `otherwise` where there is no
// parameter.
std::vector<float> PerChannel(const char* op, const char* name,
                              const c10::optional<at::Tensor>& parameter,
                              int64_t channels, float otherwise) {
  if (!parameter || !parameter->defined()) {
    return std::vector<float>(channels, otherwise);
  }
  TORCH_CHECK(
      parameter->scalar_type() == at::kFloat && parameter->numel() == channels,
      op, ": ", name, " must be ", channels, " floats");
  const at::Tensor dense = parameter->contiguous();
  const float* values = dense.data_ptr<float>();
  return std::vector<float>(values, values + channels);
}

template <bool kRelu>
at::Tensor BatchNorm(const at::Tensor& x,
                     const c10::optional<at::Tensor>& weight,
                     const c10::optional<at::Tensor>& bias,
                     const at::Tensor& mean, const at::Tensor& var, double eps,
                     double output_scale, int64_t output_zero_point) {
  constexpr const char* kOp =
      kRelu ? "fbgemm_batch_norm_relu" : "fbgemm_batch_norm";
  CheckQuantized(x, kOp);
  CheckQParams(output_scale, output_zero_point, kOp);
  TORCH_CHECK(x.dim() >= 2 && x.dim() <= 5, kOp,
              ": takes 2 to 5 dimensions, and the input is of size ",
              x.sizes());
  const int64_t channels = x.size(1);
  const std::vector<float> weights =
      PerChannel(kOp, "weight", weight, channels, 1);
  const std::vector<float> biases = PerChannel(kOp, "bias", bias, channels, 0);
  const std::vector<float> means = PerChannel(kOp, "mean", mean, channels, 0);
  const std::vector<float> variances = PerChannel(kOp, "var", var, channels, 1);
  // As compute_fused_params of LibTorch 1.13, in its mixture of float and
  // double.
  std::vector<float> factors(channels);
  std::vector<float> offsets(channels);
  for (int64_t i = 0; i < channels; ++i) {
    const auto inverse = static_cast<float>(
        1.0 / std::sqrt(variances[i] + static_cast<float>(eps)));
    factors[i] =
        static_cast<float>(inverse * weights[i] * (x.q_scale() / output_scale));
    offsets[i] = static_cast<float>(
        (biases[i] - means[i] * inverse * weights[i]) / output_scale);
  }
  const at::Tensor quantized = ChannelsLast(x);
  at::Tensor out =
      EmptyChannelsLast(x.sizes(), output_scale, output_zero_point);
  kernels::ChannelScaling scaling;
  scaling.zero_point = QParamsOf(x).zero_point;
  scaling.factors = factors;
  scaling.offsets = offsets;
  scaling.out_zero_point = QParamsOf(out).zero_point;
  scaling.relu = kRelu;
  kernels::ScaleChannels(QuantizedDataOf(quantized),
                         channels == 0 ? 0 : x.numel() / channels, scaling,
                         MutableQuantizedDataOf(out), TorchParallel);
  // The layout is that of LibTorch's batch_norm1d.
  return x.dim() == 3 ? out.contiguous() : out;
}

TORCH_LIBRARY_FRAGMENT(ns, library) {
  constexpr char kArguments[] =
      "(Tensor x, Tensor? weight, Tensor? bias, Tensor mean, Tensor var, "
      "float eps, float output_scale, int output_zero_point) -> Tensor";
  library.def((std::string("fbgemm_batch_norm") + kArguments).c_str(),
              BatchNorm<false>);
  library.def((std::string("fbgemm_batch_norm_relu") + kArguments).c_str(),
              BatchNorm<true>);
}

}  // namespace
}  // namespace ns
