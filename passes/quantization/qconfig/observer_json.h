// ObserverSpecs in JSON texts; see qconfig_json.h for what they are part of.
#ifndef PASSES_QUANTIZATION_QCONFIG_OBSERVER_JSON_H_
#define PASSES_QUANTIZATION_QCONFIG_OBSERVER_JSON_H_

#include <string>

#include "absl/status/statusor.h"
#include "llvm/Support/JSON.h"
#include "passes/quantization/qconfig/qconfig.h"

namespace ns {

// Returns a JSON object, in one line: the kind of the observer and the options
// that are not the defaults of the kind.
std::string ObserverSpecToJson(const ObserverSpec& spec);

// Reads what ObserverSpecToJson writes; the numbers "inf" and "nan" are text.
// Errors: an unknown field, with the nearest known one; a value of another
// type; what ParseObserverConfig refuses; an observer that is to stand in a
// FakeQuantize and cannot (MakeFakeQuantize).
absl::StatusOr<ObserverSpec> ParseObserverSpec(const llvm::json::Value& value);

}  // namespace ns

#endif  // PASSES_QUANTIZATION_QCONFIG_OBSERVER_JSON_H_
