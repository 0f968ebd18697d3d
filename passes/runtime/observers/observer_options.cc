#include "passes/runtime/observers/observer_options.h"

#include <charconv>
#include <cstdint>
#include <iterator>
#include <optional>
#include <type_traits>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/nearest_name.h"
#include "passes/runtime/observers/observer_names.h"

namespace ns {
namespace {

std::string ToText(ObserverKind kind) {
  return std::string(ObserverKindName(kind));
}
std::string ToText(at::ScalarType dtype) {
  return std::string(DtypeName(dtype));
}
std::string ToText(at::QScheme qscheme) {
  return std::string(QSchemeName(qscheme));
}
std::string ToText(bool value) { return value ? "true" : "false"; }
std::string ToText(int64_t value) { return absl::StrCat(value); }
std::string ToText(double value) {
  // The shortest text that is this number.
  char text[32];
  return std::string(text, std::to_chars(text, std::end(text), value).ptr);
}
std::string ToText(const std::string& value) { return value; }

template <typename T>
bool Take(const std::optional<T>& found, T& value) {
  value = found.value_or(value);
  return found.has_value();
}

bool FromText(const std::string& text, ObserverKind& kind) {
  return Take(FindObserverKind(text), kind);
}
bool FromText(const std::string& text, at::ScalarType& dtype) {
  return Take(FindDtype(text), dtype);
}
bool FromText(const std::string& text, at::QScheme& qscheme) {
  return Take(FindQScheme(text), qscheme);
}
bool FromText(const std::string& text, bool& value) {
  value = text == "true";
  return value || text == "false";
}
bool FromText(const std::string& text, int64_t& value) {
  return absl::SimpleAtoi(text, &value);
}
bool FromText(const std::string& text, double& value) {
  return absl::SimpleAtod(text, &value);
}
bool FromText(const std::string& text, std::string& value) {
  value = text;
  return true;
}
template <typename T>
bool FromText(const std::string& text, std::optional<T>& value) {
  return FromText(text, value.emplace());
}

template <typename T>
constexpr bool kIsOptional = false;
template <typename T>
constexpr bool kIsOptional<std::optional<T>> = true;

// Calls `see` with the name and the value of each field of `config`.
template <typename Config, typename See>
void ForEachField(Config& config, const See& see) {
  see("kind", config.kind);
  see("dtype", config.dtype);
  see("qscheme", config.qscheme);
  see("reduce_range", config.reduce_range);
  see("quant_min", config.quant_min);
  see("quant_max", config.quant_max);
  see("eps", config.eps);
  see("averaging_constant", config.averaging_constant);
  see("ch_axis", config.ch_axis);
  see("bins", config.bins);
  see("upsample_rate", config.upsample_rate);
  see("percentile", config.percentile);
  see("clipping_weight", config.clipping_weight);
  see("scale", config.scale);
  see("zero_point", config.zero_point);
  see("compute_dtype", config.compute_dtype);
  see("custom_op_name", config.custom_op_name);
  see("compat", config.compat);
}

template <typename T>
constexpr OptionType TypeOf(const T& /*value*/) {
  if constexpr (std::is_same_v<T, bool>) {
    return OptionType::kBoolean;
  } else if constexpr (std::is_same_v<T, int64_t>) {
    return OptionType::kInteger;
  } else if constexpr (std::is_same_v<T, double>) {
    return OptionType::kNumber;
  } else {
    return OptionType::kText;
  }
}
template <typename T>
constexpr OptionType TypeOf(const std::optional<T>& /*value*/) {
  return TypeOf(T());
}

// For the end of a message about a name that is none of `names`.
std::string Suggestion(absl::string_view name,
                       const std::vector<absl::string_view>& names,
                       absl::string_view verb) {
  return absl::StrCat(
      "; ", DidYouMean(name, names,
                       absl::StrCat(verb, " ", absl::StrJoin(names, ", "))));
}

absl::Status Refuse(const ObserverConfig& config, absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("observer '", ObserverKindName(config.kind), "': ", what));
}

}  // namespace

ObserverOptions OptionsOf(const ObserverConfig& config) {
  ObserverOptions options;
  ForEachField(config, [&](const char* name, const auto& value) {
    if constexpr (!kIsOptional<std::decay_t<decltype(value)>>) {
      options[name] = ToText(value);
    } else if (value) {
      options[name] = ToText(*value);
    }
  });
  return options;
}

ObserverOptions ChangedOptionsOf(const ObserverConfig& config) {
  const ObserverOptions defaults = OptionsOf(DefaultConfig(config.kind));
  ObserverOptions changed = {{"kind", ToText(config.kind)}};
  for (const auto& [name, value] : OptionsOf(config)) {
    const auto by_default = defaults.find(name);
    if (by_default == defaults.end() || by_default->second != value) {
      changed[name] = value;
    }
  }
  return changed;
}

std::vector<ObserverOption> AllObserverOptions() {
  std::vector<ObserverOption> options;
  const ObserverConfig config;
  ForEachField(config, [&](const char* name, const auto& value) {
    options.push_back({name, TypeOf(value)});
  });
  return options;
}

absl::StatusOr<ObserverConfig> ParseObserverConfig(
    const ObserverOptions& options) {
  ObserverKind kind = ObserverKind::kMinMax;
  if (const auto found = options.find("kind");
      found != options.end() && !FromText(found->second, kind)) {
    return absl::InvalidArgumentError(
        absl::StrCat("no observer has kind '", found->second, "'",
                     Suggestion(found->second, ObserverKindNames(), "use")));
  }
  ObserverConfig config = DefaultConfig(kind);
  ObserverOptions left = options;
  absl::Status status;
  ForEachField(config, [&](const char* name, auto& value) {
    const auto found = left.find(name);
    if (found == left.end()) {
      return;
    }
    if (!FromText(found->second, value)) {
      status.Update(Refuse(
          config, absl::StrCat(name, " cannot be '", found->second, "'")));
    }
    left.erase(found);
  });
  if (!status.ok()) {
    return status;
  }
  if (!left.empty()) {
    const std::string& unknown = left.begin()->first;
    std::vector<absl::string_view> names;
    for (const ObserverOption& option : AllObserverOptions()) {
      names.push_back(option.name);
    }
    return Refuse(config, absl::StrCat("has no option '", unknown, "'",
                                       Suggestion(unknown, names, "it takes")));
  }
  status = Validate(config);
  if (!status.ok()) {
    return status;
  }
  return config;
}

}  // namespace ns
