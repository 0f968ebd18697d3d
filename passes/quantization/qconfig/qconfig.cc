#include "passes/quantization/qconfig/qconfig.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "passes/runtime/observers/observer_names.h"
#include "passes/runtime/observers/observer_options.h"
#include "passes/runtime/observers/values/qparams.h"

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

ObserverSpec DynamicActivation() {
  ObserverSpec spec = PlaceholderSpec(at::kQUInt8);
  spec.config.compute_dtype = at::kQUInt8;
  return spec;
}

ObserverSpec Int8Weight(bool per_channel) {
  ObserverSpec spec = SpecOf(per_channel ? ObserverKind::kPerChannelMinMax
                                         : ObserverKind::kMinMax);
  spec.config.dtype = at::kQInt8;
  spec.config.qscheme =
      per_channel ? at::kPerChannelSymmetric : at::kPerTensorSymmetric;
  return spec;
}

std::string RangeText(const ObserverConfig& config) {
  const QuantGrid grid = GridOf(config);
  return absl::StrCat(grid.quant_min, "..", grid.quant_max,
                      IsSymmetric(config.qscheme) ? " symmetric" : "");
}

std::string ActivationText(const ObserverSpec& activation) {
  const ObserverConfig& config = activation.config;
  switch (ModeOf(activation)) {
    case QuantizationMode::kFloat:
      return "float";
    case QuantizationMode::kHalf:
      return "half";
    case QuantizationMode::kDynamic:
      return "dynamic";
    case QuantizationMode::kStatic:
      break;
  }
  return absl::StrCat(
      "static ", RangeText(config),
      config.kind == ObserverKind::kMinMax ? "" : " ",
      config.kind == ObserverKind::kMinMax ? "" : ObserverKindName(config.kind),
      config.headroom == 1 ? "" : absl::StrCat(" headroom ", config.headroom));
}

// "int8", "int4" by the number of integers; one more of them is not counted, as
// of -64..64, which is called int7.
std::string WeightText(const ObserverSpec& weight) {
  switch (ModeOf(weight)) {
    case QuantizationMode::kFloat:
      return "float weight";
    case QuantizationMode::kHalf:
      return "half weight";
    case QuantizationMode::kDynamic:
      return "dynamic weight";
    case QuantizationMode::kStatic:
      break;
  }
  const QuantGrid grid = GridOf(weight.config);
  int bits = 1;
  while ((int64_t{1} << bits) < grid.quant_max - grid.quant_min) {
    ++bits;
  }
  return absl::StrCat("int", bits, " weight per ",
                      IsPerChannel(weight) ? "channel" : "tensor");
}

}  // namespace

bool operator==(const ObserverSpec& a, const ObserverSpec& b) {
  return a.use == b.use && a.path == b.path && a.config == b.config;
}

ObserverSpec SpecOf(ObserverKind kind) {
  ObserverSpec spec;
  spec.config = DefaultConfig(kind);
  return spec;
}

ObserverSpec PlaceholderSpec(at::ScalarType dtype) {
  ObserverSpec spec = SpecOf(ObserverKind::kPlaceholder);
  spec.config.dtype = dtype;
  return spec;
}

bool IsPerChannel(const ObserverSpec& spec) {
  return ModeOf(spec) == QuantizationMode::kStatic &&
         IsPerChannel(spec.config.qscheme);
}

QConfig Compatible(QConfig qconfig) {
  qconfig.activation.config.compat = true;
  qconfig.weight.config.compat = true;
  return qconfig;
}

QConfig Int8PerTensorQConfig() {
  return {SpecOf(ObserverKind::kMinMax), Int8Weight(/*per_channel=*/false)};
}

QConfig Int8PerChannelQConfig() {
  return {SpecOf(ObserverKind::kMinMax), Int8Weight(/*per_channel=*/true)};
}

QConfig DynamicQConfig() {
  return {DynamicActivation(), Int8Weight(/*per_channel=*/false)};
}

QConfig Fp16QConfig() {
  return {PlaceholderSpec(at::kHalf), PlaceholderSpec(at::kHalf)};
}

QConfig Int4WeightsQConfig() {
  ObserverSpec weight = Int8Weight(/*per_channel=*/true);
  weight.config.quant_min = -8;
  weight.config.quant_max = 7;
  return {PlaceholderSpec(), weight};
}

std::string QConfigName(const QConfig& qconfig) {
  QConfig with_range = qconfig;
  const bool is_static =
      ModeOf(qconfig.activation) == QuantizationMode::kStatic;
  if (is_static) {
    with_range.activation.config.kind = ObserverKind::kMinMax;
  }
  for (const NamedQConfig& named : kNamed) {
    const QConfig known = named.make();
    if (qconfig == known) {
      return std::string(named.name);
    }
    if (is_static && with_range == known) {
      return absl::StrCat(named.name, " ",
                          ObserverKindName(qconfig.activation.config.kind));
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
