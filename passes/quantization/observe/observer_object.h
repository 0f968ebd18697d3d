// Makes the objects that observe values in a model, and finds them again.
#ifndef PASSES_QUANTIZATION_OBSERVE_OBSERVER_OBJECT_H_
#define PASSES_QUANTIZATION_OBSERVE_OBSERVER_OBJECT_H_

#include <ATen/core/ivalue.h>

#include "absl/status/statusor.h"
#include "passes/quantization/qconfig/qconfig.h"
#include "passes/runtime/observers/observer.h"

namespace ns {

// Returns a new Observer or FakeQuantize (passes/runtime/observers) as `spec`
// says, to be an attribute of a module: it has a method
// `forward(Tensor) -> Tensor`. Error: one that cannot be made, such as a
// scripted one whose file is missing.
absl::StatusOr<c10::IValue> MakeObserverObject(const ObserverSpec& spec);

// Returns the observer that `object` is, or that of the fake quantization that
// it is; null for any other value.
ObserverPtr ObserverIn(const c10::IValue& object);

}  // namespace ns

#endif  // PASSES_QUANTIZATION_OBSERVE_OBSERVER_OBJECT_H_
