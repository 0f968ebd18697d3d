// Observers of all kinds, from what they are to do.
#ifndef PASSES_RUNTIME_OBSERVERS_MAKE_OBSERVER_H_
#define PASSES_RUNTIME_OBSERVERS_MAKE_OBSERVER_H_

#include "absl/status/statusor.h"
#include "passes/runtime/observers/observer.h"
#include "passes/runtime/observers/observer_config.h"

namespace ns {

// A new observer, which has seen nothing. Errors: what Validate refuses, and
// kScripted, whose object MakeScriptedObserver takes.
absl::StatusOr<ObserverPtr> MakeObserver(const ObserverConfig& config);

}  // namespace ns

#endif  // PASSES_RUNTIME_OBSERVERS_MAKE_OBSERVER_H_
