#include "passes/runtime/observers/fake_quantize_weight.h"

#include <ATen/ATen.h>
#include <torch/library.h>

#include <tuple>
#include <vector>

#include "passes/runtime/observers/qparams.h"

namespace ns {
namespace {

struct IntegerRange {
  int64_t min;
  int64_t max;
};

at::Tensor PerTensor(const at::Tensor& weight, IntegerRange range) {
  at::Tensor min;
  at::Tensor max;
  std::tie(min, max) = weight.aminmax();
  const QParams qparams =
      ChooseQParams(min.item<float>(), max.item<float>(), range.min, range.max,
                    /*symmetric=*/true);
  return at::fake_quantize_per_tensor_affine(
      weight, qparams.scale, qparams.zero_point, range.min, range.max);
}

at::Tensor PerChannel(const at::Tensor& weight, IntegerRange range) {
  const int64_t channels = weight.size(0);
  const at::Tensor rows = weight.reshape({channels, -1});
  const at::Tensor mins = rows.amin(1).contiguous();
  const at::Tensor maxs = rows.amax(1).contiguous();
  at::Tensor scales = at::empty({channels}, at::kFloat);
  for (int64_t i = 0; i < channels; ++i) {
    scales.data_ptr<float>()[i] = static_cast<float>(
        ChooseQParams(mins.data_ptr<float>()[i], maxs.data_ptr<float>()[i],
                      range.min, range.max, /*symmetric=*/true)
            .scale);
  }
  return at::fake_quantize_per_channel_affine(weight, scales,
                                              at::zeros({channels}, at::kInt),
                                              /*axis=*/0, range.min, range.max);
}

}  // namespace

at::Tensor FakeQuantizeWeight(const at::Tensor& weight,
                              const WeightConfig& config) {
  if (config.dtype == WeightDtype::kFloat || !weight.is_floating_point() ||
      weight.numel() == 0) {
    return weight;
  }
  at::NoGradGuard no_grad;
  if (config.dtype == WeightDtype::kHalf) {
    return weight.to(at::kHalf).to(weight.scalar_type());
  }
  const IntegerRange range = config.dtype == WeightDtype::kInt8
                                 ? IntegerRange{-128, 127}
                                 : IntegerRange{-8, 7};
  const at::Tensor value = weight.detach().to(at::kFloat).contiguous();
  const bool per_channel = config.per_channel && value.dim() > 0;
  return (per_channel ? PerChannel(value, range) : PerTensor(value, range))
      .to(weight.scalar_type());
}

std::vector<at::Tensor> FakeQuantizeWeights(
    const std::vector<at::Tensor>& parameters, const WeightConfig& config) {
  std::vector<at::Tensor> quantized = parameters;
  for (at::Tensor& parameter : quantized) {
    if (parameter.dim() > 1) {
      parameter = FakeQuantizeWeight(parameter, config);
    }
  }
  return quantized;
}

TORCH_LIBRARY_FRAGMENT(ns, library) {
  library.def(
      "fake_quantize_weight(Tensor weight, int dtype, bool per_channel) -> "
      "Tensor",
      [](const at::Tensor& weight, int64_t dtype, bool per_channel) {
        return FakeQuantizeWeight(
            weight, {static_cast<WeightDtype>(dtype), per_channel});
      });
  library.def(
      "fake_quantize_weight.list(Tensor[] parameters, int dtype, bool "
      "per_channel) -> Tensor[]",
      [](const std::vector<at::Tensor>& parameters, int64_t dtype,
         bool per_channel) {
        return FakeQuantizeWeights(
            parameters, {static_cast<WeightDtype>(dtype), per_channel});
      });
}

}  // namespace ns
