#include "passes/quantization/quantized_weight.h"

#include <ATen/ATen.h>

#include "absl/strings/str_cat.h"
#include "ir/module_file.h"
#include "ir/refusal.h"
#include "ir/status.h"
#include "ir/torch_errors.h"
#include "passes/runtime/observers/make_observer.h"
#include "passes/runtime/observers/scripted_observer.h"

namespace ns {
namespace {

constexpr double kLargestHalf = 65504;

absl::StatusOr<ObserverPtr> ObserverOf(const ObserverSpec& spec) {
  if (spec.config.kind != ObserverKind::kScripted) {
    return MakeObserver(spec.config);
  }
  NS_ASSIGN_OR_RETURN(const torch::jit::Module module, LoadModule(spec.path));
  return MakeScriptedObserver(module._ivalue());
}

// Returns `quantized` with its integers clamped to the range of `config`.
at::Tensor Clamped(const at::Tensor& quantized, const ObserverConfig& config) {
  if (!config.quant_min || !config.quant_max ||
      quantized.scalar_type() == at::kQUInt4x2) {
    return quantized;
  }
  const at::Tensor integers =
      quantized.int_repr().clamp(*config.quant_min, *config.quant_max);
  return quantized.qscheme() == at::kPerTensorAffine
             ? at::_make_per_tensor_quantized_tensor(
                   integers, quantized.q_scale(), quantized.q_zero_point())
             : at::_make_per_channel_quantized_tensor(
                   integers, quantized.q_per_channel_scales(),
                   quantized.q_per_channel_zero_points(),
                   quantized.q_per_channel_axis());
}

// Throws c10::Error.
at::Tensor Quantized(const at::Tensor& weight, const TensorQParams& qparams,
                     const ObserverConfig& config) {
  if (!IsPerChannel(config.qscheme)) {
    return at::quantize_per_tensor(weight, qparams.scale.item<float>(),
                                   qparams.zero_point.item<int64_t>(),
                                   config.dtype);
  }
  const int64_t axis = at::maybe_wrap_dim(config.ch_axis, weight.dim());
  const bool has_float_zero_points =
      config.qscheme == at::kPerChannelAffineFloatQParams;
  return at::quantize_per_channel(
      weight, qparams.scale.to(has_float_zero_points ? at::kFloat : at::kDouble),
      qparams.zero_point.to(has_float_zero_points ? at::kFloat : at::kLong),
      axis, config.dtype);
}

}  // namespace

absl::StatusOr<at::Tensor> QuantizedWeight(const at::Tensor& weight,
                                           const ObserverSpec& spec) {
  if (weight.scalar_type() != at::kFloat) {
    return Refusal(absl::StrCat("its weight is of type ",
                                c10::toString(weight.scalar_type()),
                                "; only weights of Float are quantized"));
  }
  NS_ASSIGN_OR_RETURN(const ObserverPtr observer, ObserverOf(spec));
  const absl::StatusOr<at::Tensor> quantized =
      CatchTorchErrors([&]() -> absl::StatusOr<at::Tensor> {
        const at::NoGradGuard no_grad;
        const at::Tensor values = weight.detach();
        if (!at::isfinite(values).all().item<bool>()) {
          return Refusal("its weight has values that are not finite");
        }
        observer->Forward(values);
        // A scripted observer has a config of its own.
        const ObserverConfig& config = observer->config();
        return Clamped(Quantized(values, observer->CalculateQParams(), config),
                       config);
      });
  NS_RETURN_IF_ERROR(
      RefusalOf("its weight cannot be quantized", quantized.status()));
  return quantized;
}

absl::StatusOr<at::Tensor> HalfWeight(const at::Tensor& weight) {
  if (!weight.is_floating_point()) {
    return Refusal("its weight is not of floating point");
  }
  return CatchTorchErrors([&] {
    const at::NoGradGuard no_grad;
    return weight.detach()
        .clamp(-kLargestHalf, kLargestHalf)
        .to(at::kHalf)
        .to(weight.scalar_type());
  });
}

}  // namespace ns
