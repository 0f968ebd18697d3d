#include "ns/quantization/model/quantize_options.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "passes/quantization/dynamic/quantize_dynamic.h"
#include "passes/quantization/qconfig/default_observers.h"
#include "passes/quantization/qconfig/qconfig.h"

namespace ns {
namespace {

// Weights without the integer that has no negative.
void MakeRangeSymmetric(ObserverSpec& weight) {
  const bool is_symmetric = ModeOf(weight) == QuantizationMode::kStatic &&
                            IsSymmetric(weight.config.qscheme);
  if (is_symmetric && weight.config.dtype == at::kQInt8 &&
      !weight.config.quant_min) {
    weight.config.quant_min = -127;
    weight.config.quant_max = 127;
  }
}

// `qconfig` as our defaults have it: with the observer of the options.
QConfig Ours(QConfig qconfig, const QuantizeOptions& options) {
  ObserverConfig& activation = qconfig.activation.config;
  if (activation.kind == ObserverKind::kHistogram) {
    const ObserverConfig theirs = activation;
    activation = DefaultConfig(options.observer);
    activation.dtype = theirs.dtype;
    activation.qscheme = theirs.qscheme;
    activation.reduce_range = NarrowsActivations(TargetOf(options));
    activation.quant_min = theirs.quant_min;
    activation.quant_max = theirs.quant_max;
    activation.eps = theirs.eps;
    activation.headroom = options.headroom;
  }
  MakeRangeSymmetric(qconfig.weight);
  return qconfig;
}

QConfigMapping StaticMapping(const QuantizeOptions& options) {
  const QConfigMapping theirs = GetDefaultQConfigMapping(options.backend);
  return options.compat ? theirs : theirs.With([&](QConfig qconfig) {
    return Ours(std::move(qconfig), options);
  });
}

// Returns `qconfig`, a dynamic one of PyTorch's, as our defaults have it: with
// a scale for each channel of the weight, where the engine takes them.
QConfig OursOfDynamic(QConfig qconfig, const QuantizeOptions& options) {
  if (options.backend != Backend::kQnnpack) {
    qconfig.weight = DefaultPerChannelWeightObserver();
  }
  MakeRangeSymmetric(qconfig.weight);
  return qconfig;
}

// The layers of one mode.
QConfigMapping WithoutCalibration(const QuantizeOptions& options) {
  const bool wants_dynamic = options.mode == QuantizeMode::kDynamic;
  QConfigMapping mapping;
  const QConfigMapping all = DefaultDynamicMapping();
  for (const auto& [type, qconfig] : all.object_types()) {
    const bool is_dynamic =
        ModeOf(qconfig->activation) == QuantizationMode::kDynamic;
    if (is_dynamic == wants_dynamic) {
      mapping.SetObjectType(type, is_dynamic && !options.compat
                                      ? OursOfDynamic(*qconfig, options)
                                      : *qconfig);
    }
  }
  return mapping;
}

}  // namespace

bool NeedsInputMeans(BiasCorrection correction) {
  return correction == BiasCorrection::kFast ||
         correction == BiasCorrection::kBest;
}

QuantizeMethods DefaultMethods() {
  QuantizeMethods methods;
  methods.bias_correction = BiasCorrection::kBest;
  methods.choose_ranges = true;
  methods.choose_headroom = true;
  return methods;
}

bool MayRefuseInputs(const QuantizeOptions& options) {
  if (options.compat) {
    return false;
  }
  if (!options.mapping) {
    return options.mode != QuantizeMode::kStatic;
  }
  return absl::c_any_of(options.mapping->Rules(), [](const auto& rule) {
    return rule.second &&
           ModeOf(rule.second->activation) != QuantizationMode::kStatic;
  });
}

bool RunsOnFbgemm(const QuantizeOptions& options) {
  return options.backend == Backend::kFbgemm ||
         options.backend == Backend::kX86;
}

QuantizationTarget TargetOf(const QuantizeOptions& options) {
  return options.target.value_or(RunsOnFbgemm(options)
                                     ? QuantizationTarget::kFbgemmAvx2
                                     : QuantizationTarget::kExact);
}

QConfig DynamicLinearQConfig(const QuantizeOptions& options) {
  return OursOfDynamic(DefaultDynamicQConfig(), options);
}

QConfigMapping DefaultMapping(const QuantizeOptions& options) {
  switch (options.mode) {
    case QuantizeMode::kStatic:
      return StaticMapping(options);
    case QuantizeMode::kDynamic:
    case QuantizeMode::kWeightOnly:
      return WithoutCalibration(options);
  }
  return {};
}

}  // namespace ns
