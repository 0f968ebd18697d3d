#include "passes/runtime/observers/reconfigured_observer.h"

#include <ATen/ATen.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "passes/runtime/observers/make_observer.h"
#include "passes/runtime/observers/observer_names.h"
#include "passes/runtime/observers/values/value_range.h"

namespace ns {
namespace {

bool HasExactHistogram(ObserverKind kind) {
  return kind == ObserverKind::kMse || kind == ObserverKind::kPercentile ||
         kind == ObserverKind::kEntropy;
}

bool KeepsTheSame(const ObserverConfig& a, const ObserverConfig& b) {
  return a.dtype == b.dtype && a.qscheme == b.qscheme &&
         a.ch_axis == b.ch_axis && a.bins == b.bins &&
         a.upsample_rate == b.upsample_rate && a.compat == b.compat &&
         a.averaging_constant == b.averaging_constant;
}

// The state of a kMinMax observer that has seen what `observer` has, which has
// an exact histogram.
ObserverState RangeStateOf(const Observer& observer) {
  const ObserverState state = observer.State();
  const auto count = [&](const char* name) {
    return state.at(name).item<int64_t>();
  };
  const auto number = [](int64_t value) {
    return at::scalar_tensor(value, at::kLong);
  };
  ValueRange range;
  range.finite = {state.at("min_val").item<float>(),
                  state.at("max_val").item<float>()};
  range.nans = count("nans");
  range.positive_infs = count("positive_infs");
  range.negative_infs = count("negative_infs");
  const Interval bounds =
      observer.config().compat ? range.WithNonFinite() : range.finite;
  const at::Tensor min = at::scalar_tensor(bounds.min, at::kFloat);
  const at::Tensor max = at::scalar_tensor(bounds.max, at::kFloat);
  return {{"min_val", min},
          {"max_val", max},
          {"first_min", min},
          {"first_max", max},
          {"batches", number(observer.seen().values > 0 ? 1 : 0)},
          {"nan_count", number(observer.NanCount())},
          {"inf_count", number(observer.InfCount())}};
}

}  // namespace

bool CanReconfigure(ObserverKind from, ObserverKind to) {
  return from == to || (HasExactHistogram(from) &&
                        (HasExactHistogram(to) || to == ObserverKind::kMinMax));
}

absl::StatusOr<ObserverPtr> Reconfigured(const Observer& observer,
                                         const ObserverConfig& config) {
  const ObserverKind from = observer.config().kind;
  if (!CanReconfigure(from, config.kind) ||
      !KeepsTheSame(observer.config(), config)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "what an observer '", ObserverKindName(from),
        "' has seen does not tell what '", ObserverKindName(config.kind),
        "' with this configuration would have; calibrate again"));
  }
  NS_ASSIGN_OR_RETURN(ObserverPtr made, MakeObserver(config));
  NS_RETURN_IF_ERROR(CatchTorchErrors("an observer's state", [&] {
    made->SetState(HasExactHistogram(from) && !HasExactHistogram(config.kind)
                       ? RangeStateOf(observer)
                       : observer.State());
    made->SetSeen(observer.seen());
  }));
  return made;
}

}  // namespace ns
