#include "passes/runtime/observers/quantized_weight.h"

#include <ATen/ATen.h>
#include <torch/library.h>

#include <string>

#include "absl/status/statusor.h"
#include "passes/runtime/observers/make_observer.h"
#include "passes/runtime/observers/observer.h"
#include "passes/runtime/observers/values/qparams.h"

namespace ns {
namespace {

at::Tensor Quantized(const at::Tensor& weight, const TensorQParams& qparams,
                     const ObserverConfig& config) {
  if (!IsPerChannel(config.qscheme)) {
    return at::quantize_per_tensor(weight, qparams.scale.item<double>(),
                                   qparams.zero_point.item<int64_t>(),
                                   config.dtype);
  }
  const int64_t axis = at::maybe_wrap_dim(config.ch_axis, weight.dim());
  if (config.qscheme == at::kPerChannelAffineFloatQParams) {
    return at::quantize_per_channel(weight, qparams.scale, qparams.zero_point,
                                    axis, config.dtype);
  }
  return at::quantize_per_channel(weight, qparams.scale.to(at::kDouble),
                                  qparams.zero_point.to(at::kLong), axis,
                                  config.dtype);
}

// Quantizing clamps to the range of the dtype.
bool IsNarrow(const ObserverConfig& config, const QuantGrid& grid) {
  switch (config.dtype) {
    case at::kQInt8:
      return grid.quant_min > -128 || grid.quant_max < 127;
    case at::kQUInt8:
      return grid.quant_min > 0 || grid.quant_max < 255;
    default:
      return false;
  }
}

at::Tensor Clamped(const at::Tensor& quantized, const QuantGrid& grid) {
  const at::Tensor integers =
      quantized.int_repr().clamp(grid.quant_min, grid.quant_max);
  if (quantized.qscheme() == at::kPerTensorAffine) {
    return at::_make_per_tensor_quantized_tensor(integers, quantized.q_scale(),
                                                 quantized.q_zero_point());
  }
  return at::_make_per_channel_quantized_tensor(
      integers, quantized.q_per_channel_scales(),
      quantized.q_per_channel_zero_points(), quantized.q_per_channel_axis());
}

at::Tensor FiniteValues(const at::Tensor& weight) {
  at::Tensor values = weight.detach().to(at::kFloat);
  TORCH_CHECK(values.isfinite().all().item<bool>(),
              weight.isfinite().all().item<bool>()
                  ? "it holds values beyond the range of float32"
                  : "it holds nan or infinite values");
  return values;
}

// `values` are finite.
at::Tensor QuantizedValues(const at::Tensor& values, const Observer& observer) {
  const ObserverConfig& config = observer.config();
  at::Tensor quantized = Quantized(values, observer.CalculateQParams(), config);
  const QuantGrid grid = GridOf(config);
  return IsNarrow(config, grid) ? Clamped(quantized, grid) : quantized;
}

}  // namespace

at::Tensor QuantizedWeight(const at::Tensor& weight,
                           const ObserverConfig& config) {
  const at::NoGradGuard no_grad;
  const absl::StatusOr<ObserverPtr> observer = MakeObserver(config);
  TORCH_CHECK(observer.ok(), std::string(observer.status().message()));
  const at::Tensor values = FiniteValues(weight);
  (*observer)->Forward(values);
  return QuantizedValues(values, **observer);
}

at::Tensor QuantizedWeight(const at::Tensor& weight, const Observer& observer) {
  const at::NoGradGuard no_grad;
  return QuantizedValues(FiniteValues(weight), observer);
}

TORCH_LIBRARY_FRAGMENT(ns, library) {
  // Marks the weight of a prepared layer for convert-observers: `layer` is its
  // index in the PreparedModel.
  library.def("observed_weight(Tensor(a) weight, int layer) -> Tensor(a)",
              [](const at::Tensor& weight, int64_t) { return weight; });
}

}  // namespace ns
