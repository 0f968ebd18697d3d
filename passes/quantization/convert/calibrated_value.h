// What an observer says of the values that it has seen.
#ifndef PASSES_QUANTIZATION_CONVERT_CALIBRATED_VALUE_H_
#define PASSES_QUANTIZATION_CONVERT_CALIBRATED_VALUE_H_

#include <cstddef>

#include "absl/status/status.h"
#include "passes/quantization/layers/quantization_report.h"
#include "passes/runtime/observers/observer.h"
#include "passes/runtime/observers/values/qparams.h"

namespace ns {

struct CalibratedValue {
  ObserverPtr observer;
  // What the observer finds. A no-op, which only watches that a layer runs,
  // finds nothing: this is then as constructed, as it is when `status` is an
  // error.
  QParams qparams;
  // Not OK where the values cannot be quantized: a refusal (ir/base/refusal.h).
  absl::Status status;
};

// Returns what `observer` finds for what it has seen. The status is a refusal
// if it has seen nothing, integers, floats other than float32, or only nan and
// infinite values, or if it finds a scale for each channel.
CalibratedValue AskObserver(ObserverPtr observer);

// Returns an answer for an observer that has seen nothing, so that a model can
// be converted without calibration. Each `index` gets other qparams, but an
// observer of fixed ones gets its own.
CalibratedValue MadeUpValue(ObserverPtr observer, size_t index);

// Returns the qparams of `observed` and the range that they represent, for
// reports.
ValueQuantization Describe(const CalibratedValue& observed);

}  // namespace ns

#endif  // PASSES_QUANTIZATION_CONVERT_CALIBRATED_VALUE_H_
