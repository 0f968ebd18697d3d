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

// A config as text, field by field, under the names above; dtypes and schemes
// are called as in Python ("quint8", "per_tensor_affine"), numbers round-trip.
// Fields that are absent are left out.
using ObserverOptions = std::map<std::string, std::string>;
ObserverOptions OptionsOf(const ObserverConfig& config);

// Those that say which config it is: the kind, and what is not the default of
// the kind.
ObserverOptions ChangedOptionsOf(const ObserverConfig& config);

// What the text of an option stands for.
enum class OptionType { kBoolean, kInteger, kNumber, kText };

// The options that there are, in the order of the fields.
struct ObserverOption {
  absl::string_view name;
  OptionType type;
};
std::vector<ObserverOption> AllObserverOptions();

// The config with `options` over the defaults of its kind, which is "minmax"
// when they have none. Errors: an unknown kind or option, with the nearest one,
// a value that is none; what Validate refuses.
absl::StatusOr<ObserverConfig> ParseObserverConfig(
    const ObserverOptions& options);

// Whether all fields are equal.
bool operator==(const ObserverConfig& a, const ObserverConfig& b);
inline bool operator!=(const ObserverConfig& a, const ObserverConfig& b) {
  return !(a == b);
}

}  // namespace ns

#endif  // PASSES_RUNTIME_OBSERVERS_OBSERVER_OPTIONS_H_
