#include "passes/runtime/observers/observer_options.h"

#include <charconv>
#include <cstdint>
#include <iterator>
#include <optional>
#include <tuple>
#include <type_traits>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/base/nearest_name.h"
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

// The fields of a config, in one place: all else follows from them.
constexpr const char* kFieldNames[] = {"kind",
                                       "dtype",
                                       "qscheme",
                                       "reduce_range",
                                       "quant_min",
                                       "quant_max",
                                       "eps",
                                       "averaging_constant",
                                       "ch_axis",
                                       "bins",
                                       "upsample_rate",
                                       "percentile",
                                       "clipping_weight",
                                       "headroom",
                                       "scale",
                                       "zero_point",
                                       "compute_dtype",
                                       "custom_op_name",
                                       "compat"};
template <typename Config>
auto FieldsOf(Config& config) {
  return std::tie(
      config.kind, config.dtype, config.qscheme, config.reduce_range,
      config.quant_min, config.quant_max, config.eps, config.averaging_constant,
      config.ch_axis, config.bins, config.upsample_rate, config.percentile,
      config.clipping_weight, config.headroom, config.scale, config.zero_point,
      config.compute_dtype, config.custom_op_name, config.compat);
}

// Calls `see` with the name and the value of each field of `config`.
template <typename Config, typename See>
void ForEachField(Config& config, const See& see) {
  std::apply(
      [&](auto&... field) {
        static_assert(sizeof...(field) == std::size(kFieldNames));
        const char* const* name = kFieldNames;
        (see(*name++, field), ...);
      },
      FieldsOf(config));
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

bool operator==(const ObserverConfig& a, const ObserverConfig& b) {
  return FieldsOf(a) == FieldsOf(b);
}

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
