#include "passes/runtime/observers/observer_config.h"

#include <cmath>
#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace ns {
namespace {

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

// The objects of kScripted have dtypes that no option names.
absl::string_view TextOf(at::ScalarType dtype) {
  const bool has_name = FindDtype(DtypeName(dtype)).has_value();
  return has_name ? DtypeName(dtype) : c10::toString(dtype);
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
  const Bounds of_int32 = *BoundsOf(at::kQInt32);
  if (min < of_int32.min || max > of_int32.max) {
    return Refuse(
        config, absl::StrCat(given, " is not within the integers of 32 bits"));
  }
  const Bounds all = *BoundsOf(config.dtype);
  if (!config.compat && (min < all.min || max > all.max)) {
    return Refuse(config,
                  absl::StrCat(given, " is not within ", all.min, "..", all.max,
                               ", the integers of ", DtypeName(config.dtype)));
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
  if (!(config.clipping_weight >= 1) || std::isinf(config.clipping_weight)) {
    return Refuse(config, "clipping_weight must be 1 or more");
  }
  if (!(config.headroom >= 1) || std::isinf(config.headroom)) {
    return Refuse(config, "headroom must be 1 or more");
  }
  if (config.headroom != 1 && config.compat) {
    return Refuse(config, "PyTorch's has no headroom; leave out compat");
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

QuantizationMode ModeOf(const ObserverConfig& config) {
  if (config.kind != ObserverKind::kPlaceholder &&
      config.kind != ObserverKind::kNoop) {
    return QuantizationMode::kStatic;
  }
  if (config.compute_dtype && at::isQIntType(*config.compute_dtype)) {
    return QuantizationMode::kDynamic;
  }
  return config.dtype == at::kHalf ? QuantizationMode::kHalf
                                   : QuantizationMode::kFloat;
}

bool HasQParams(ObserverKind kind) {
  return HasRange(kind) || kind == ObserverKind::kFixedQParams ||
         kind == ObserverKind::kScripted;
}

absl::Status Validate(const ObserverConfig& config) {
  const bool is_fixed = config.kind == ObserverKind::kFixedQParams;
  if (!HasQParams(config.kind)) {
    return absl::OkStatus();
  }
  if (!BoundsOf(config.dtype)) {
    return Refuse(config,
                  absl::StrCat("dtype ", TextOf(config.dtype),
                               " is none of quint8, qint8, quint4x2, qint32"));
  }
  if (config.kind == ObserverKind::kScripted) {
    return ValidateBounds(config);
  }
  if (IsPerChannel(config.qscheme) != IsPerChannelKind(config.kind)) {
    return Refuse(
        config, absl::StrCat("scheme ", QSchemeName(config.qscheme), " is",
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

}  // namespace ns
