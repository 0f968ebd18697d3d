#include "passes/runtime/observers/activation_quantizer.h"

#include <ATen/ATen.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/base/status.h"
#include "passes/runtime/is_dense.h"
#include "passes/runtime/observers/make_observer.h"
#include "passes/runtime/observers/value_or_throw.h"

namespace ns {
namespace {

// Of what observes one tensor to quantize it with its own range.
ObserverConfig OwnRange(const ObserverConfig& config) {
  ObserverConfig own = config;
  if (ModeOf(config) == QuantizationMode::kDynamic) {
    own.kind = IsPerChannel(config.qscheme) ? ObserverKind::kPerChannelMinMax
                                            : ObserverKind::kMinMax;
    own.dtype = *config.compute_dtype;
  }
  return own;
}

int64_t NonFiniteCount(const Observer& observer) {
  return observer.NanCount() + observer.InfCount();
}

}  // namespace

ActivationQuantizer::ActivationQuantizer(ObserverPtr observer)
    : observer_(std::move(observer)),
      own_range_(OwnRange(observer_->config())),
      qparams_(UnobservedQParams()) {}

bool ActivationQuantizer::NeedsValues() const {
  return ModeOf(config()) == QuantizationMode::kStatic &&
         config().kind != ObserverKind::kFixedQParams;
}

void ActivationQuantizer::Observe(const at::Tensor& x) {
  if (converted_ || !NeedsValues() || !x.is_floating_point() || !IsDense(x)) {
    return;
  }
  const int64_t non_finite = NonFiniteCount(*observer_);
  observer_->Forward(x);
  values_seen_ += x.numel() - (NonFiniteCount(*observer_) - non_finite);
}

TensorQParams ActivationQuantizer::Calibrated() const {
  return ModeOf(config()) == QuantizationMode::kStatic
             ? observer_->CalculateQParams()
             : UnobservedQParams();
}

void ActivationQuantizer::Convert() {
  qparams_ = Calibrated();
  converted_ = true;
}

void ActivationQuantizer::Restore(int64_t values_seen, bool converted) {
  values_seen_ = values_seen;
  if (converted) {
    Convert();
  }
}

at::Tensor ActivationQuantizer::Quantize(const at::Tensor& x) const {
  const QuantizationMode mode = ModeOf(config());
  if (!converted_ || mode == QuantizationMode::kFloat ||
      !x.is_floating_point() || !IsDense(x) || x.numel() == 0) {
    return x;
  }
  const at::NoGradGuard no_grad;
  if (mode == QuantizationMode::kHalf) {
    return x.to(at::kHalf).to(x.scalar_type());
  }
  const at::Tensor value = x.to(at::kFloat);
  TensorQParams qparams = qparams_;
  if (mode == QuantizationMode::kDynamic ||
      (NeedsValues() && values_seen_ == 0)) {
    const ObserverPtr own = ValueOrThrow(MakeObserver(own_range_));
    own->Forward(value);
    qparams = own->CalculateQParams();
  }
  return FakeQuantized(value, qparams, own_range_).to(x.scalar_type());
}

absl::StatusOr<ActivationQuantizerPtr> MakeActivationQuantizer(
    const ObserverConfig& config) {
  const QuantizationMode mode = ModeOf(config);
  if (mode == QuantizationMode::kStatic && !HasQParams(config.kind)) {
    return absl::InvalidArgumentError(
        absl::StrCat("observer '", ObserverKindName(config.kind),
                     "' has no scale and zero point to quantize with"));
  }
  if (mode == QuantizationMode::kDynamic) {
    NS_RETURN_IF_ERROR(Validate(OwnRange(config)));
  }
  NS_ASSIGN_OR_RETURN(ObserverPtr observer, MakeObserver(config));
  return c10::make_intrusive<ActivationQuantizer>(std::move(observer));
}

}  // namespace ns
