// What an observer says of the values that it has seen.
#ifndef PASSES_QUANTIZATION_CALIBRATED_VALUE_H_
#define PASSES_QUANTIZATION_CALIBRATED_VALUE_H_

#include <cstddef>

#include "absl/status/status.h"
#include "passes/quantization/quantization_report.h"
#include "passes/runtime/observers/observer.h"
#include "passes/runtime/observers/qparams.h"

namespace ns {

struct CalibratedValue {
  ObserverPtr observer;
  // Those that the observer finds; as constructed where it has none to find,
  // as a no-op that only watches a layer run.
  QParams qparams;
  // Not OK where the values cannot be quantized: a refusal (ir/refusal.h).
  absl::Status status;
};

// Asks `observer`. Values cannot be quantized that were never seen, that are
// all nan or infinite, integers, or floats other than float32, and those with a
// scale for each channel.
CalibratedValue AskObserver(ObserverPtr observer);

// Returns the answer of an observer that has seen nothing, with qparams as good
// as any, which no two `index`es share: those of a fixed observer are its own.
CalibratedValue MadeUpValue(ObserverPtr observer, size_t index);

// Returns what a report says of `observed`.
ValueQuantization Describe(const CalibratedValue& observed);

}  // namespace ns

#endif  // PASSES_QUANTIZATION_CALIBRATED_VALUE_H_
