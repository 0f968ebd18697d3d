#include "passes/runtime/observers/fake_quantize.h"

#include <ATen/ATen.h>

#include <utility>

#include "absl/strings/str_cat.h"

namespace ns {
namespace {

bool IsMovingAverage(ObserverKind kind) {
  return kind == ObserverKind::kMovingAverageMinMax ||
         kind == ObserverKind::kMovingAveragePerChannelMinMax;
}

bool HasFloatQParams(const ObserverConfig& config) {
  return config.qscheme == at::kPerChannelAffineFloatQParams;
}

at::Tensor Switch(bool enabled) {
  return at::full({1}, enabled ? 1 : 0, at::kLong);
}

// Of the channels of `x`.
int64_t AxisOf(const ObserverConfig& config, const at::Tensor& x) {
  return config.ch_axis + (config.ch_axis < 0 ? x.dim() : 0);
}

}  // namespace

FakeQuantize::FakeQuantize(ObserverPtr observer, bool fused)
    : observer_(std::move(observer)), fused_(fused) {
  Use(observer_->config().kind == ObserverKind::kFixedQParams
          ? observer_->CalculateQParams()
          : UnobservedQParams());
}

void FakeQuantize::Use(const TensorQParams& qparams) {
  state_.scale = qparams.scale;
  state_.zero_point = qparams.zero_point.to(
      HasFloatQParams(observer_->config()) ? at::kFloat : at::kInt);
}

void FakeQuantize::Observe(const at::Tensor& x) {
  observer_->Forward(x.detach());
  Use(observer_->CalculateQParams());
}

at::Tensor FakeQuantize::ObservedAndQuantized(const at::Tensor& x) {
  const ObserverConfig& config = observer_->config();
  const QuantGrid grid = GridOf(config);
  const bool is_per_channel = IsPerChannel(config.qscheme);
  ObserverState seen = observer_->State();
  at::Tensor& min = seen["min_val"];
  at::Tensor& max = seen["max_val"];
  // The op writes what it is given.
  at::Tensor scale = state_.scale.clone();
  at::Tensor zero_point = state_.zero_point.clone();
  const at::Tensor y = at::fused_moving_avg_obs_fake_quant(
      x, Switch(state_.observer_enabled), Switch(state_.fake_quant_enabled),
      min, max, scale, zero_point, config.averaging_constant, grid.quant_min,
      grid.quant_max, is_per_channel ? AxisOf(config, x) : -1, is_per_channel,
      IsSymmetric(config.qscheme));
  if (state_.observer_enabled) {
    if (seen["batches"].item<int64_t>() == 0) {
      seen["first_min"] = min;
      seen["first_max"] = max;
    }
    seen["batches"] = seen["batches"] + 1;
    observer_->SetState(seen);
    observer_->Note(x);
    Use({scale, zero_point});
  }
  return y;
}

at::Tensor FakeQuantize::Forward(const at::Tensor& x) {
  if (x.numel() == 0) {
    return x;
  }
  TORCH_CHECK(x.is_floating_point(),
              "fake quantization takes floats; this tensor has dtype ",
              c10::toString(x.scalar_type()));
  if (fused_ && observer_->config().compat) {
    return ObservedAndQuantized(x);
  }
  if (state_.observer_enabled) {
    Observe(x);
  }
  return state_.fake_quant_enabled
             ? FakeQuantized(x, {state_.scale, state_.zero_point},
                             observer_->config())
             : x;
}

absl::StatusOr<FakeQuantizePtr> MakeFakeQuantize(ObserverPtr observer,
                                                 bool fused) {
  const ObserverConfig& config = observer->config();
  const auto refuse = [&](absl::string_view what) {
    return absl::InvalidArgumentError(
        absl::StrCat("fake quantization: observer '",
                     ObserverKindName(config.kind), "' ", what));
  };
  if (!HasQParams(config.kind)) {
    return refuse("has no scale and zero point");
  }
  if (fused && (!IsMovingAverage(config.kind) || HasFloatQParams(config))) {
    return refuse(
        "is no moving average with integer zero points, as fused "
        "ones have");
  }
  return c10::make_intrusive<FakeQuantize>(std::move(observer), fused);
}

}  // namespace ns
