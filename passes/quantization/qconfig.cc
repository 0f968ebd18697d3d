#include "passes/quantization/qconfig.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"

namespace ns {
namespace {

struct NamedQConfig {
  absl::string_view name;
  QConfig (*make)();
};

constexpr NamedQConfig kNamed[] = {
    {"int8 per tensor", Int8PerTensorQConfig},
    {"int8 per channel", Int8PerChannelQConfig},
    {"dynamic", DynamicQConfig},
    {"fp16", Fp16QConfig},
    {"int4 weights", Int4WeightsQConfig},
};

ActivationConfig WithScheme(ActivationScheme scheme) {
  ActivationConfig activation;
  activation.scheme = scheme;
  return activation;
}

std::string ActivationText(const ActivationConfig& activation) {
  switch (activation.scheme) {
    case ActivationScheme::kNone:
      return "float";
    case ActivationScheme::kHalf:
      return "half";
    case ActivationScheme::kStatic:
    case ActivationScheme::kDynamic:
      break;
  }
  const bool is_static = activation.scheme == ActivationScheme::kStatic;
  return absl::StrCat(
      is_static ? "static " : "dynamic ", activation.quant_min, "..",
      activation.quant_max, activation.symmetric ? " symmetric" : "",
      is_static && activation.observer == ActivationObserver::kHistogram
          ? " histogram"
          : "");
}

std::string WeightText(const WeightConfig& weight) {
  switch (weight.dtype) {
    case WeightDtype::kFloat:
      return "float weight";
    case WeightDtype::kHalf:
      return "half weight";
    case WeightDtype::kInt8:
    case WeightDtype::kInt4:
      break;
  }
  return absl::StrCat(weight.dtype == WeightDtype::kInt8 ? "int8" : "int4",
                      " weight per ",
                      weight.per_channel ? "channel" : "tensor");
}

}  // namespace

QConfig Int8PerTensorQConfig() {
  return {WithScheme(ActivationScheme::kStatic), {WeightDtype::kInt8, false}};
}

QConfig Int8PerChannelQConfig() {
  return {WithScheme(ActivationScheme::kStatic), {WeightDtype::kInt8, true}};
}

QConfig DynamicQConfig() {
  return {WithScheme(ActivationScheme::kDynamic), {WeightDtype::kInt8, false}};
}

QConfig Fp16QConfig() {
  return {WithScheme(ActivationScheme::kHalf), {WeightDtype::kHalf, false}};
}

QConfig Int4WeightsQConfig() {
  return {WithScheme(ActivationScheme::kNone), {WeightDtype::kInt4, true}};
}

std::string QConfigName(const QConfig& qconfig) {
  QConfig with_range = qconfig;
  with_range.activation.observer = ActivationObserver::kMinMax;
  const bool is_static = qconfig.activation.scheme == ActivationScheme::kStatic;
  for (const NamedQConfig& named : kNamed) {
    const QConfig known = named.make();
    if (qconfig == known) {
      return std::string(named.name);
    }
    if (is_static && with_range == known) {
      return absl::StrCat(named.name, " histogram");
    }
  }
  return absl::StrCat(ActivationText(qconfig.activation), ", ",
                      WeightText(qconfig.weight));
}

std::string QConfigName(const OptionalQConfig& qconfig) {
  return qconfig ? QConfigName(*qconfig) : "none";
}

const std::vector<QConfig>& NamedQConfigs() {
  static const auto* const kQConfigs = [] {
    auto* qconfigs = new std::vector<QConfig>();
    for (const NamedQConfig& named : kNamed) {
      qconfigs->push_back(named.make());
    }
    return qconfigs;
  }();
  return *kQConfigs;
}

absl::StatusOr<QConfig> QConfigNamed(absl::string_view name) {
  const std::string with_blanks = absl::StrReplaceAll(name, {{"-", " "}});
  std::vector<std::string> names;
  for (const NamedQConfig& named : kNamed) {
    if (with_blanks == named.name) {
      return named.make();
    }
    names.push_back(absl::StrReplaceAll(named.name, {{" ", "-"}}));
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "unknown candidate '", name, "'; use ", absl::StrJoin(names, ", ")));
}

}  // namespace ns
