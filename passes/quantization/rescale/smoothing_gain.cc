#include "passes/quantization/rescale/smoothing_gain.h"

#include <ATen/ATen.h>

#include <cmath>

#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "passes/quantization/rescale/scaled_layer.h"
#include "passes/runtime/observers/fake_quantize_weight.h"
#include "passes/runtime/observers/make_observer.h"
#include "passes/runtime/observers/tensor_qparams.h"

namespace ns {
namespace {

bool IsInteger(QuantizationMode mode) {
  return mode == QuantizationMode::kStatic ||
         mode == QuantizationMode::kDynamic;
}

// The observer that finds the parameters of an activation: of dynamic ones, the
// range of the tensor.
ObserverConfig ActivationConfig(const ObserverSpec& spec) {
  if (ModeOf(spec) != QuantizationMode::kDynamic) {
    return spec.config;
  }
  ObserverConfig config = DefaultConfig(ObserverKind::kMinMax);
  config.dtype = spec.config.compute_dtype.value_or(at::kQUInt8);
  return config;
}

absl::StatusOr<at::Tensor> QuantizedActivation(const at::Tensor& x,
                                               const ObserverSpec& spec) {
  if (!IsInteger(ModeOf(spec))) {
    return x;
  }
  const ObserverConfig config = ActivationConfig(spec);
  NS_ASSIGN_OR_RETURN(const ObserverPtr observer, MakeObserver(config));
  observer->Forward(x);
  return FakeQuantized(x, observer->CalculateQParams(), config);
}

// Noise by signal, as powers.
absl::StatusOr<double> NoiseOf(const SampledLinear& layer,
                               const at::Tensor& factors) {
  const at::Tensor rows = layer.rows.to(at::kFloat);
  const at::Tensor weight = layer.weight.to(at::kFloat);
  const at::Tensor by = factors.to(at::kFloat);
  NS_ASSIGN_OR_RETURN(const at::Tensor x,
                      QuantizedActivation(rows / by, layer.qconfig.activation));
  const at::Tensor w =
      FakeQuantizeWeight(weight * by, layer.qconfig.weight.config);
  at::Tensor expected = rows.matmul(weight.t());
  const at::Tensor error = x.matmul(w.t()) - expected;
  if (layer.bias.defined()) {
    expected = expected + layer.bias.to(at::kFloat);
  }
  const auto power = [](const at::Tensor& values) {
    return values.to(at::kDouble).square().sum().item<double>();
  };
  const double noise = power(error);
  return noise == 0 ? 0 : noise / power(expected);
}

}  // namespace

at::Tensor SmoothingFactors(const at::Tensor& largest, const at::Tensor& ranges,
                            double exponent) {
  const at::Tensor counts = HasRange(largest).logical_and(HasRange(ranges));
  const at::Tensor factors = largest.pow(exponent) / ranges.pow(1 - exponent);
  const at::Tensor alive = factors.masked_select(counts);
  const double others =
      alive.numel() == 0 ? 1 : std::exp(alive.log().mean().item<double>());
  return at::where(counts, factors, at::full_like(factors, others));
}

bool QuantizesInputOrWeight(const QConfig& qconfig) {
  return IsInteger(ModeOf(qconfig.activation)) ||
         IsInteger(ModeOf(qconfig.weight));
}

absl::StatusOr<double> SqnrOfSmoothed(absl::Span<const SampledLinear> layers,
                                      const at::Tensor& factors) {
  return CatchTorchErrors([&]() -> absl::StatusOr<double> {
    double noise = 0;
    for (const SampledLinear& layer : layers) {
      NS_ASSIGN_OR_RETURN(const double own, NoiseOf(layer, factors));
      noise += own / static_cast<double>(layers.size());
    }
    return -10 * std::log10(noise);
  });
}

}  // namespace ns
