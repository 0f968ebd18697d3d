#include "passes/runtime/observers/observer_config.h"

#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace ns {
namespace {

template <typename T>
struct Named {
  absl::string_view name;
  T value;
};

constexpr Named<ObserverKind> kKinds[] = {
    {"minmax", ObserverKind::kMinMax},
    {"moving-average", ObserverKind::kMovingAverageMinMax},
    {"minmax-per-channel", ObserverKind::kPerChannelMinMax},
    {"moving-average-per-channel",
     ObserverKind::kMovingAveragePerChannelMinMax},
    {"histogram", ObserverKind::kHistogram},
    {"mse", ObserverKind::kMse},
    {"percentile", ObserverKind::kPercentile},
    {"entropy", ObserverKind::kEntropy},
    {"fixed", ObserverKind::kFixedQParams},
    {"placeholder", ObserverKind::kPlaceholder},
    {"noop", ObserverKind::kNoop},
    {"recording", ObserverKind::kRecording},
    {"reuse-input", ObserverKind::kReuseInput},
    {"scripted", ObserverKind::kScripted},
};

constexpr Named<at::ScalarType> kDtypes[] = {
    {"quint8", at::kQUInt8},     {"qint8", at::kQInt8},
    {"quint4x2", at::kQUInt4x2}, {"qint32", at::kQInt32},
    {"float16", at::kHalf},      {"float32", at::kFloat},
};

constexpr Named<at::QScheme> kQSchemes[] = {
    {"per_tensor_affine", at::kPerTensorAffine},
    {"per_tensor_symmetric", at::kPerTensorSymmetric},
    {"per_channel_affine", at::kPerChannelAffine},
    {"per_channel_symmetric", at::kPerChannelSymmetric},
    {"per_channel_affine_float_qparams", at::kPerChannelAffineFloatQParams},
};

constexpr Named<bool> kBools[] = {{"false", false}, {"true", true}};

template <typename T, size_t kSize>
absl::string_view NameIn(const Named<T> (&table)[kSize], T value) {
  for (const Named<T>& row : table) {
    if (row.value == value) {
      return row.name;
    }
  }
  return "unknown";
}

template <typename T, size_t kSize>
bool FindIn(const Named<T> (&table)[kSize], absl::string_view name, T& value) {
  for (const Named<T>& row : table) {
    if (row.name == name) {
      value = row.value;
      return true;
    }
  }
  return false;
}

std::string ToText(ObserverKind kind) {
  return std::string(NameIn(kKinds, kind));
}
std::string ToText(at::ScalarType dtype) {
  return std::string(NameIn(kDtypes, dtype));
}
std::string ToText(at::QScheme qscheme) {
  return std::string(NameIn(kQSchemes, qscheme));
}
std::string ToText(bool value) { return std::string(NameIn(kBools, value)); }
std::string ToText(int64_t value) { return absl::StrCat(value); }
std::string ToText(double value) {
  // The shortest text that is this number.
  char text[32];
  return std::string(text, std::to_chars(text, std::end(text), value).ptr);
}
std::string ToText(const std::string& value) { return value; }

bool FromText(const std::string& text, ObserverKind& kind) {
  return FindIn(kKinds, text, kind);
}
bool FromText(const std::string& text, at::ScalarType& dtype) {
  return FindIn(kDtypes, text, dtype);
}
bool FromText(const std::string& text, at::QScheme& qscheme) {
  return FindIn(kQSchemes, text, qscheme);
}
bool FromText(const std::string& text, bool& value) {
  return FindIn(kBools, text, value);
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
  see("scale", config.scale);
  see("zero_point", config.zero_point);
  see("compute_dtype", config.compute_dtype);
  see("custom_op_name", config.custom_op_name);
  see("compat", config.compat);
}

struct Bounds {
  int64_t min;
  int64_t max;
};

// The integers of a dtype that quantizes.
std::optional<Bounds> BoundsOf(at::ScalarType dtype) {
  switch (dtype) {
    case at::kQInt8:
      return Bounds{-128, 127};
    case at::kQUInt8:
      return Bounds{0, 255};
    case at::kQUInt4x2:
      return Bounds{0, 15};
    case at::kQInt32:
      return Bounds{std::numeric_limits<int32_t>::min(),
                    std::numeric_limits<int32_t>::max()};
    default:
      return std::nullopt;
  }
}

int64_t HalfDown(int64_t x) { return x >> 1; }

bool IsCustomized(const ObserverConfig& config) {
  return config.quant_min && config.quant_max;
}

// The least and the largest integer to quantize to.
Bounds QuantBounds(const ObserverConfig& config) {
  Bounds bounds = IsCustomized(config)
                      ? Bounds{*config.quant_min, *config.quant_max}
                      : *BoundsOf(config.dtype);
  const bool is_byte =
      config.dtype == at::kQInt8 || config.dtype == at::kQUInt8;
  if (config.reduce_range && (IsCustomized(config) || is_byte)) {
    bounds = {HalfDown(bounds.min), HalfDown(bounds.max)};
  }
  return bounds;
}

// The integer that zero becomes on a symmetric grid.
int64_t SymmetricZeroPoint(const ObserverConfig& config, const Bounds& bounds) {
  const bool is_unsigned = config.dtype == at::kQUInt8 ||
                           (config.dtype == at::kQUInt4x2 && !config.compat);
  if (!is_unsigned) {
    return 0;
  }
  if (IsCustomized(config)) {
    return HalfDown(bounds.min + bounds.max);
  }
  // In PyTorch the middle of what the range was before it was reduced.
  return config.compat ? 128 : HalfDown(bounds.min + bounds.max + 1);
}

bool HasRange(ObserverKind kind) {
  switch (kind) {
    case ObserverKind::kMinMax:
    case ObserverKind::kMovingAverageMinMax:
    case ObserverKind::kPerChannelMinMax:
    case ObserverKind::kMovingAveragePerChannelMinMax:
    case ObserverKind::kHistogram:
    case ObserverKind::kMse:
    case ObserverKind::kPercentile:
    case ObserverKind::kEntropy:
      return true;
    default:
      return false;
  }
}

bool IsPerChannelKind(ObserverKind kind) {
  return kind == ObserverKind::kPerChannelMinMax ||
         kind == ObserverKind::kMovingAveragePerChannelMinMax;
}

bool IsMinMaxKind(ObserverKind kind) {
  return IsPerChannelKind(kind) || kind == ObserverKind::kMinMax ||
         kind == ObserverKind::kMovingAverageMinMax;
}

absl::Status Refuse(const ObserverConfig& config, absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("observer '", ObserverKindName(config.kind), "': ", what));
}

absl::Status ValidateBounds(const ObserverConfig& config) {
  if (config.quant_min.has_value() != config.quant_max.has_value() &&
      !config.compat) {
    return Refuse(config,
                  "has one of quant_min and quant_max; give both or none");
  }
  if (!IsCustomized(config)) {
    return absl::OkStatus();
  }
  const int64_t min = *config.quant_min;
  const int64_t max = *config.quant_max;
  const std::string given = absl::StrCat("the range ", min, "..", max);
  if (min > 0 || max < 0 || min >= max) {
    return Refuse(config, absl::StrCat(given, " must hold 0 and be no point"));
  }
  const Bounds all = *BoundsOf(config.dtype);
  if (!config.compat && (min < all.min || max > all.max)) {
    return Refuse(config, absl::StrCat(given, " is not within ", all.min, "..",
                                       all.max, ", the integers of ",
                                       NameIn(kDtypes, config.dtype)));
  }
  const int64_t most = config.dtype == at::kQInt8    ? 256
                       : config.dtype == at::kQInt32 ? int64_t{1} << 31
                                                     : max - min + 1;
  if (config.compat && max - min + 1 > most) {
    return Refuse(config, absl::StrCat(given, " has more than ", most,
                                       " integers, the most PyTorch takes"));
  }
  const Bounds bounds = QuantBounds(config);
  if (bounds.min >= bounds.max) {
    return Refuse(config, absl::StrCat(given, " is empty when it is reduced"));
  }
  return absl::OkStatus();
}

absl::Status ValidateNumbers(const ObserverConfig& config) {
  if (!(config.eps > 0) || !std::isfinite(config.eps)) {
    return Refuse(config, "eps must be above 0");
  }
  if (!(config.averaging_constant > 0) || config.averaging_constant > 1) {
    return Refuse(config, "averaging_constant must be above 0, at most 1");
  }
  if (config.bins < 2 || config.bins > 1 << 20) {
    return Refuse(config, "bins must be 2 to 1048576");
  }
  if (config.upsample_rate < 1 || config.upsample_rate > 1 << 20) {
    return Refuse(config, "upsample_rate must be 1 to 1048576");
  }
  if (!(config.percentile > 0.5) || config.percentile > 1) {
    return Refuse(config, "percentile must be above 0.5, at most 1");
  }
  return absl::OkStatus();
}

absl::Status ValidateFixed(const ObserverConfig& config) {
  if (!(config.scale > 0) || !std::isfinite(config.scale)) {
    return Refuse(config, "scale must be above 0");
  }
  const Bounds bounds = QuantBounds(config);
  if (config.zero_point < bounds.min || config.zero_point > bounds.max) {
    return Refuse(
        config, absl::StrCat("zero_point ", config.zero_point,
                             " is not within ", bounds.min, "..", bounds.max));
  }
  return absl::OkStatus();
}

}  // namespace

absl::string_view ObserverKindName(ObserverKind kind) {
  return NameIn(kKinds, kind);
}

std::optional<ObserverKind> FindObserverKind(absl::string_view name) {
  ObserverKind kind;
  return FindIn(kKinds, name, kind) ? std::optional(kind) : std::nullopt;
}

bool operator==(const ObserverConfig& a, const ObserverConfig& b) {
  return OptionsOf(a) == OptionsOf(b);
}

ObserverConfig DefaultConfig(ObserverKind kind) {
  ObserverConfig config;
  config.kind = kind;
  if (IsPerChannelKind(kind)) {
    config.qscheme = at::kPerChannelAffine;
  } else if (kind == ObserverKind::kPlaceholder) {
    config.dtype = at::kFloat;
  } else if (kind == ObserverKind::kNoop) {
    config.dtype = at::kHalf;
  }
  return config;
}

bool IsPerChannel(at::QScheme qscheme) {
  return qscheme == at::kPerChannelAffine ||
         qscheme == at::kPerChannelSymmetric ||
         qscheme == at::kPerChannelAffineFloatQParams;
}

bool IsSymmetric(at::QScheme qscheme) {
  return qscheme == at::kPerTensorSymmetric ||
         qscheme == at::kPerChannelSymmetric;
}

absl::Status Validate(const ObserverConfig& config) {
  const bool is_fixed = config.kind == ObserverKind::kFixedQParams;
  if (!HasRange(config.kind) && !is_fixed) {
    return absl::OkStatus();
  }
  if (!BoundsOf(config.dtype)) {
    return Refuse(config,
                  absl::StrCat("dtype ", NameIn(kDtypes, config.dtype),
                               " is none of quint8, qint8, quint4x2, qint32"));
  }
  if (IsPerChannel(config.qscheme) != IsPerChannelKind(config.kind)) {
    return Refuse(
        config, absl::StrCat("scheme ", ToText(config.qscheme), " is",
                             IsPerChannelKind(config.kind) ? " not per channel"
                                                           : " per channel"));
  }
  if (IsMinMaxKind(config.kind) && IsSymmetric(config.qscheme) &&
      config.reduce_range && config.dtype == at::kQUInt8) {
    return Refuse(config,
                  "a symmetric range of quint8 cannot be reduced; use qint8 or "
                  "an affine scheme");
  }
  for (const absl::Status& status :
       {ValidateBounds(config), ValidateNumbers(config),
        is_fixed ? ValidateFixed(config) : absl::OkStatus()}) {
    if (!status.ok()) {
      return status;
    }
  }
  return absl::OkStatus();
}

QuantGrid GridOf(const ObserverConfig& config) {
  const Bounds bounds = QuantBounds(config);
  QuantGrid grid;
  grid.quant_min = bounds.min;
  grid.quant_max = bounds.max;
  if (IsSymmetric(config.qscheme)) {
    grid.symmetric_zero_point = SymmetricZeroPoint(config, bounds);
  }
  grid.eps = static_cast<float>(config.eps);
  grid.compat = config.compat;
  return grid;
}

ObserverOptions OptionsOf(const ObserverConfig& config) {
  ObserverOptions options;
  const auto add = [&](const char* name, const auto& value) {
    options[name] = ToText(value);
  };
  const auto add_if_there = [&](const char* name, const auto& value) {
    if (value) {
      options[name] = ToText(*value);
    }
  };
  ForEachField(config, [&](const char* name, const auto& value) {
    using Value = std::decay_t<decltype(value)>;
    if constexpr (std::is_same_v<Value, std::optional<int64_t>> ||
                  std::is_same_v<Value, std::optional<at::ScalarType>>) {
      add_if_there(name, value);
    } else {
      add(name, value);
    }
  });
  return options;
}

absl::StatusOr<ObserverConfig> ParseObserverConfig(
    const ObserverOptions& options) {
  ObserverKind kind = ObserverKind::kMinMax;
  if (const auto found = options.find("kind");
      found != options.end() && !FromText(found->second, kind)) {
    return absl::InvalidArgumentError(
        absl::StrCat("no observer has kind '", found->second, "'"));
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
    return Refuse(config,
                  absl::StrCat("has no option '", left.begin()->first, "'"));
  }
  status = Validate(config);
  if (!status.ok()) {
    return status;
  }
  return config;
}

}  // namespace ns
