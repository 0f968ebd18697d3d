#include "passes/runtime/observers/fake_quantize_weight.h"

#include <ATen/ATen.h>
#include <torch/library.h>

#include "absl/strings/str_cat.h"
#include "passes/runtime/observers/make_observer.h"
#include "passes/runtime/observers/observer_options.h"
#include "passes/runtime/observers/tensor_qparams.h"
#include "passes/runtime/observers/value_or_throw.h"

namespace ns {
namespace {

constexpr double kLargestHalf = 65504;

ObserverConfig ConfigOf(const std::vector<std::string>& argument) {
  ObserverOptions options;
  for (const std::string& option : argument) {
    const size_t equals = option.find('=');
    TORCH_CHECK(equals != std::string::npos, "observer option '", option,
                "' has no '='");
    options[option.substr(0, equals)] = option.substr(equals + 1);
  }
  return ValueOrThrow(ParseObserverConfig(options));
}

}  // namespace

at::Tensor FakeQuantizeWeight(const at::Tensor& weight,
                              const ObserverConfig& config) {
  if (!weight.is_floating_point() || weight.numel() == 0) {
    return weight;
  }
  switch (ModeOf(config)) {
    case QuantizationMode::kFloat:
    case QuantizationMode::kDynamic:
      return weight;
    case QuantizationMode::kHalf:
      return weight.clamp(-kLargestHalf, kLargestHalf)
          .to(at::kHalf)
          .to(weight.scalar_type());
    case QuantizationMode::kStatic:
      break;
  }
  const at::Tensor value = weight.to(at::kFloat).contiguous();
  const ObserverPtr observer = ValueOrThrow(MakeObserver(config));
  observer->Forward(value.detach());
  return FakeQuantized(value, observer->CalculateQParams(), config)
      .to(weight.scalar_type());
}

std::vector<at::Tensor> FakeQuantizeWeights(
    const std::vector<at::Tensor>& parameters, const ObserverConfig& config) {
  std::vector<at::Tensor> quantized = parameters;
  for (at::Tensor& parameter : quantized) {
    if (parameter.dim() > 1) {
      parameter = FakeQuantizeWeight(parameter, config);
    }
  }
  return quantized;
}

std::vector<std::string> ObserverArgument(const ObserverConfig& config) {
  std::vector<std::string> argument;
  for (const auto& [name, value] : ChangedOptionsOf(config)) {
    argument.push_back(absl::StrCat(name, "=", value));
  }
  return argument;
}

TORCH_LIBRARY_FRAGMENT(ns, library) {
  library.def(
      "fake_quantize_weight(Tensor weight, str[] observer) -> Tensor",
      [](const at::Tensor& weight, const std::vector<std::string>& observer) {
        return FakeQuantizeWeight(weight, ConfigOf(observer));
      });
  library.def(
      "fake_quantize_weight.list(Tensor[] parameters, str[] observer) -> "
      "Tensor[]",
      [](const std::vector<at::Tensor>& parameters,
         const std::vector<std::string>& observer) {
        return FakeQuantizeWeights(parameters, ConfigOf(observer));
      });
}

}  // namespace ns
