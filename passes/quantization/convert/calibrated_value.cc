#include "passes/quantization/convert/calibrated_value.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "absl/status/statusor.h"
#include "ir/base/refusal.h"
#include "ir/base/torch_errors.h"
#include "passes/runtime/observers/observer_config.h"
#include "passes/runtime/observers/values/value_range.h"

namespace ns {
namespace {

absl::Status CheckSeen(const Observer& observer) {
  const SeenTensors& seen = observer.seen();
  if (seen.least_rank < 0) {
    return Refusal("never ran during calibration");
  }
  if (seen.has_integers) {
    return Refusal("it computes with integers");
  }
  if (seen.has_other_floats) {
    return Refusal("it computes with floats other than float32");
  }
  return observer.NanCount() + observer.InfCount() == seen.values
             ? Refusal("its values are all nan or infinite")
             : absl::OkStatus();
}

// No-ops, which watch a layer run, have none.
absl::StatusOr<QParams> QParamsOfTensor(const Observer& observer) {
  if (observer.config().kind == ObserverKind::kNoop) {
    return QParams();
  }
  return CatchTorchErrors([&]() -> absl::StatusOr<QParams> {
    const TensorQParams found = observer.CalculateQParams();
    if (found.scale.numel() != 1) {
      return Refusal("its activations have a scale for each channel");
    }
    return QParams{found.scale.item<double>(),
                   found.zero_point.item<int64_t>()};
  });
}

// Values are clipped where their type ends, also where the observer chose a
// narrower range of integers.
std::optional<double> HeadroomOf(const CalibratedValue& observed) {
  const Interval seen = observed.observer->SeenRange();
  const bool is_signed = observed.observer->config().dtype == at::kQInt8;
  const auto headroom = [&](int64_t last_integer, double value) {
    const double last =
        observed.qparams.scale *
        static_cast<double>(last_integer - observed.qparams.zero_point);
    // None where nothing was seen on this side of 0.
    return value * last > 0 ? last / value
                            : std::numeric_limits<double>::infinity();
  };
  const double least =
      std::min(headroom(is_signed ? -128 : 0, std::min(seen.min, 0.0F)),
               headroom(is_signed ? 127 : 255, std::max(seen.max, 0.0F)));
  return std::isfinite(least) ? std::optional(least) : std::nullopt;
}

}  // namespace

CalibratedValue MadeUpValue(ObserverPtr observer, size_t index) {
  CalibratedValue observed;
  observed.qparams = {1 + static_cast<double>(index) / 1024, 0};
  if (observer->config().kind == ObserverKind::kFixedQParams) {
    observed.qparams = {observer->config().scale,
                        observer->config().zero_point};
  }
  observed.observer = std::move(observer);
  return observed;
}

CalibratedValue AskObserver(ObserverPtr observer) {
  CalibratedValue observed;
  observed.status = CheckSeen(*observer);
  if (observed.status.ok()) {
    absl::StatusOr<QParams> qparams = QParamsOfTensor(*observer);
    observed.status = RefusalOf("its observer", qparams.status());
    observed.qparams = qparams.ok() ? *qparams : QParams();
  }
  observed.observer = std::move(observer);
  return observed;
}

ValueQuantization Describe(const CalibratedValue& observed) {
  const QuantGrid grid = GridOf(observed.observer->config());
  const QParams& qparams = observed.qparams;
  const auto value = [&](int64_t integer) {
    return qparams.scale * static_cast<double>(integer - qparams.zero_point);
  };
  return {qparams.scale, qparams.zero_point, value(grid.quant_min),
          value(grid.quant_max), HeadroomOf(observed)};
}

}  // namespace ns
