// Finds other parameters for what an observer has seen already.
#ifndef PASSES_RUNTIME_OBSERVERS_RECONFIGURED_OBSERVER_H_
#define PASSES_RUNTIME_OBSERVERS_RECONFIGURED_OBSERVER_H_

#include "absl/status/statusor.h"
#include "passes/runtime/observers/observer.h"
#include "passes/runtime/observers/observer_config.h"

namespace ns {

// Whether an observer of kind `from` has seen what one of kind `to` keeps: all
// kinds have what they keep themselves, and those with an exact histogram
// (kMse, kPercentile, kEntropy) what each other and kMinMax keep.
bool CanReconfigure(ObserverKind from, ObserverKind to);

// Returns a new observer of `config` that has seen what `observer` has, as if
// it had watched the same values; `observer` stays as it is. `config` may
// differ in the integers and in how their range is chosen: change a copy of
// observer.config(). Errors: kinds that CanReconfigure refuses, and kScripted,
// which needs an object; a config that is not valid, or under which other
// things would have been kept: another dtype, scheme, ch_axis, bins,
// upsample_rate, averaging_constant or compat, also where its kind does not use
// them.
absl::StatusOr<ObserverPtr> Reconfigured(const Observer& observer,
                                         const ObserverConfig& config);

}  // namespace ns

#endif  // PASSES_RUNTIME_OBSERVERS_RECONFIGURED_OBSERVER_H_
