// Observer configs as text, for qconfig files and saved models.
#ifndef PASSES_RUNTIME_OBSERVERS_OBSERVER_OPTIONS_H_
#define PASSES_RUNTIME_OBSERVERS_OBSERVER_OPTIONS_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "passes/runtime/observers/observer_config.h"

namespace ns {

// The fields of a config as text, by their names in ObserverConfig. Kinds are
// those of ObserverKindName; dtypes and schemes are called as in Python
// ("quint8", "per_tensor_affine"); booleans are "true" and "false"; numbers
// round-trip.
using ObserverOptions = std::map<std::string, std::string>;
// Returns all fields of `config` but those that are absent (std::nullopt).
ObserverOptions OptionsOf(const ObserverConfig& config);

// Returns only the kind and the fields that are not as in the DefaultConfig of
// that kind. ParseObserverConfig makes the same config of them.
ObserverOptions ChangedOptionsOf(const ObserverConfig& config);

// What the text of an option stands for. Kinds, dtypes and schemes are kText.
enum class OptionType { kBoolean, kInteger, kNumber, kText };

// The name and the type of an option.
struct ObserverOption {
  absl::string_view name;
  OptionType type;
};
// Returns all options, in the order of the fields.
std::vector<ObserverOption> AllObserverOptions();

// Returns the DefaultConfig of the option "kind" ("minmax" where that is
// absent) with the other `options` set. Errors: an unknown kind or option, with
// the nearest one; a value that the option cannot have; what Validate refuses.
absl::StatusOr<ObserverConfig> ParseObserverConfig(
    const ObserverOptions& options);

// Whether all fields are equal.
bool operator==(const ObserverConfig& a, const ObserverConfig& b);
inline bool operator!=(const ObserverConfig& a, const ObserverConfig& b) {
  return !(a == b);
}

}  // namespace ns

#endif  // PASSES_RUNTIME_OBSERVERS_OBSERVER_OPTIONS_H_
