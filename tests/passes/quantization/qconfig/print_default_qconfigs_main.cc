// Prints the default observers, qconfigs and mappings, for Python to compare
// with PyTorch's. A line has fields with tabs between: what, name, place, use,
// and the options of the observer as `name=value`.
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "passes/quantization/qconfig/default_observers.h"
#include "passes/quantization/qconfig/default_qconfigs.h"
#include "passes/runtime/observers/observer_config.h"
#include "passes/runtime/observers/observer_options.h"

namespace ns {
namespace {

std::string UseText(ObserverUse use) {
  switch (use) {
    case ObserverUse::kObserve:
      return "observe";
    case ObserverUse::kFakeQuantize:
      return "fake";
    case ObserverUse::kFusedFakeQuantize:
      return "fused";
  }
  return "";
}

// The integers of observers that have some.
std::string GridText(const ObserverConfig& config) {
  switch (config.kind) {
    case ObserverKind::kPlaceholder:
    case ObserverKind::kNoop:
    case ObserverKind::kRecording:
    case ObserverKind::kReuseInput:
      return "";
    default:
      const QuantGrid grid = GridOf(config);
      return absl::StrCat("\tgrid=", grid.quant_min, "..", grid.quant_max);
  }
}

void Print(const std::string& what, const std::string& name,
           const std::string& place, const ObserverSpec& spec) {
  std::string line = absl::StrCat(what, "\t", name, "\t", place, "\t",
                                  UseText(spec.use), GridText(spec.config));
  for (const auto& [option, value] : OptionsOf(spec.config)) {
    absl::StrAppend(&line, "\t", option, "=", value);
  }
  std::puts(line.c_str());
}

void Print(const std::string& what, const std::string& name,
           const QConfig& qconfig) {
  Print(what, name, "activation", qconfig.activation);
  Print(what, name, "weight", qconfig.weight);
}

void Print(const std::string& what, const QConfigMapping& mapping) {
  Print(what, "", *mapping.global());
  for (const auto& [type, qconfig] : mapping.object_types()) {
    Print(what, type, *qconfig);
  }
}

void PrintObservers() {
  constexpr std::pair<const char*, ObserverSpec (*)()> kObservers[] = {
      {"default_observer", DefaultObserver},
      {"default_histogram_observer", DefaultHistogramObserver},
      {"default_dynamic_quant_observer", DefaultDynamicQuantObserver},
      {"default_debug_observer", DefaultDebugObserver},
      {"default_reuse_input_observer", DefaultReuseInputObserver},
      {"default_placeholder_observer", DefaultPlaceholderObserver},
      {"default_fixed_qparams_range_0to1_observer",
       DefaultFixedQParamsRange0To1Observer},
      {"default_fixed_qparams_range_neg1to1_observer",
       DefaultFixedQParamsRangeNeg1To1Observer},
      {"default_weight_observer", DefaultWeightObserver},
      {"default_per_channel_weight_observer", DefaultPerChannelWeightObserver},
      {"weight_observer_range_neg_127_to_127", WeightObserverRangeNeg127To127},
      {"per_channel_weight_observer_range_neg_127_to_127",
       PerChannelWeightObserverRangeNeg127To127},
      {"default_float_qparams_observer", DefaultFloatQParamsObserver},
      {"default_float_qparams_observer_4bit", DefaultFloatQParamsObserver4Bit},
      {"default_fake_quant", DefaultFakeQuant},
      {"default_fused_act_fake_quant", DefaultFusedActFakeQuant},
      {"default_histogram_fake_quant", DefaultHistogramFakeQuant},
      {"default_dynamic_fake_quant", DefaultDynamicFakeQuant},
      {"default_fixed_qparams_range_0to1_fake_quant",
       DefaultFixedQParamsRange0To1FakeQuant},
      {"default_fixed_qparams_range_neg1to1_fake_quant",
       DefaultFixedQParamsRangeNeg1To1FakeQuant},
      {"default_weight_fake_quant", DefaultWeightFakeQuant},
      {"default_per_channel_weight_fake_quant",
       DefaultPerChannelWeightFakeQuant},
      {"default_fused_wt_fake_quant", DefaultFusedWtFakeQuant},
      {"default_fused_per_channel_wt_fake_quant",
       DefaultFusedPerChannelWtFakeQuant},
      {"fused_wt_fake_quant_range_neg_127_to_127",
       FusedWtFakeQuantRangeNeg127To127},
      {"fused_per_channel_wt_fake_quant_range_neg_127_to_127",
       FusedPerChannelWtFakeQuantRangeNeg127To127},
      {"default_embedding_fake_quant", DefaultEmbeddingFakeQuant},
      {"default_embedding_fake_quant_4bit", DefaultEmbeddingFakeQuant4Bit},
  };
  for (const auto& [name, make] : kObservers) {
    Print("observer", name, "", make());
  }
}

void PrintQConfigs() {
  constexpr std::pair<const char*, QConfig (*)()> kQConfigs[] = {
      {"default_qconfig", DefaultQConfig},
      {"default_per_channel_qconfig", DefaultPerChannelQConfig},
      {"default_dynamic_qconfig", DefaultDynamicQConfig},
      {"per_channel_dynamic_qconfig", PerChannelDynamicQConfig},
      {"float16_dynamic_qconfig", Float16DynamicQConfig},
      {"float16_static_qconfig", Float16StaticQConfig},
      {"float_qparams_weight_only_qconfig", FloatQParamsWeightOnlyQConfig},
      {"float_qparams_weight_only_qconfig_4bit",
       FloatQParamsWeightOnlyQConfig4Bit},
      {"default_weight_only_qconfig", DefaultWeightOnlyQConfig},
      {"default_activation_only_qconfig", DefaultActivationOnlyQConfig},
      {"default_debug_qconfig", DefaultDebugQConfig},
      {"default_reuse_input_qconfig", DefaultReuseInputQConfig},
      {"default_qat_qconfig", DefaultQatQConfig},
      {"default_qat_qconfig_v2", DefaultQatQConfigV2},
      {"default_dynamic_qat_qconfig", DefaultDynamicQatQConfig},
      {"default_embedding_qat_qconfig", DefaultEmbeddingQatQConfig},
      {"default_embedding_qat_qconfig_4bit", DefaultEmbeddingQatQConfig4Bit},
      {"default_symmetric_qnnpack_qconfig", DefaultSymmetricQnnpackQConfig},
      {"default_per_channel_symmetric_qnnpack_qconfig",
       DefaultPerChannelSymmetricQnnpackQConfig},
      {"default_symmetric_qnnpack_qat_qconfig",
       DefaultSymmetricQnnpackQatQConfig},
      {"default_per_channel_symmetric_qnnpack_qat_qconfig",
       DefaultPerChannelSymmetricQnnpackQatQConfig},
  };
  for (const auto& [name, make] : kQConfigs) {
    Print("qconfig", name, make());
  }
}

void PrintBackends() {
  for (const Backend backend :
       {Backend::kFbgemm, Backend::kX86, Backend::kOnednn, Backend::kQnnpack}) {
    const std::string name(BackendName(backend));
    Print("backend", name, GetDefaultQConfig(backend));
    Print(absl::StrCat("mapping ", name), GetDefaultQConfigMapping(backend));
    for (const int version : {0, 1}) {
      Print(absl::StrCat("qat", version), name,
            *GetDefaultQatQConfig(backend, version));
      Print(absl::StrCat("qat", version, " mapping ", name),
            *GetDefaultQatQConfigMapping(backend, version));
    }
  }
}

// What a kind has when nothing is said.
void PrintKinds() {
  for (const ObserverKind kind :
       {ObserverKind::kMinMax, ObserverKind::kMovingAverageMinMax,
        ObserverKind::kPerChannelMinMax,
        ObserverKind::kMovingAveragePerChannelMinMax, ObserverKind::kHistogram,
        ObserverKind::kFixedQParams, ObserverKind::kPlaceholder,
        ObserverKind::kNoop, ObserverKind::kRecording,
        ObserverKind::kReuseInput}) {
    Print("kind", std::string(ObserverKindName(kind)), "", SpecOf(kind));
  }
}

}  // namespace
}  // namespace ns

int main() {
  ns::PrintKinds();
  ns::PrintObservers();
  ns::PrintQConfigs();
  ns::PrintBackends();
  return 0;
}
