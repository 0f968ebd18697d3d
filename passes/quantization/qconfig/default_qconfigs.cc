#include "passes/quantization/qconfig/default_qconfigs.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/base/nearest_name.h"
#include "ir/base/status.h"
#include "passes/quantization/qconfig/default_observers.h"

namespace ns {
namespace {

constexpr std::pair<absl::string_view, Backend> kBackends[] = {
    {"fbgemm", Backend::kFbgemm},
    {"x86", Backend::kX86},
    {"onednn", Backend::kOnednn},
    {"qnnpack", Backend::kQnnpack},
};

bool HasSaturatingSums(Backend backend) {
  return backend == Backend::kFbgemm || backend == Backend::kX86;
}

ObserverSpec HistogramSpec(bool reduce_range) {
  ObserverSpec spec = SpecOf(ObserverKind::kHistogram);
  spec.config.reduce_range = reduce_range;
  return spec;
}

// Signed activations, for XNNPACK; weights of its own have the same eps.
ObserverSpec Signed(ObserverSpec activation) {
  activation.config.dtype = at::kQInt8;
  activation.config.eps = 0x1p-12;
  return activation;
}

ObserverSpec SignedFakeQuant() {
  ObserverSpec activation = Signed(DefaultFusedActFakeQuant());
  activation.config.quant_min = -128;
  activation.config.quant_max = 127;
  return activation;
}

QConfig EmbeddingQatQConfig(const ObserverSpec& weight) {
  ObserverSpec activation = SpecOf(ObserverKind::kNoop);
  activation.config.dtype = at::kFloat;
  return {activation, weight};
}

QConfig QatQConfig(Backend backend, bool fused) {
  ObserverSpec activation = DefaultFusedActFakeQuant();
  activation.config.reduce_range = HasSaturatingSums(backend);
  const bool per_channel = backend != Backend::kQnnpack;
  if (fused) {
    return {activation, per_channel ? DefaultFusedPerChannelWtFakeQuant()
                                    : DefaultFusedWtFakeQuant()};
  }
  activation.use = ObserverUse::kFakeQuantize;
  return {activation, per_channel ? DefaultPerChannelWeightFakeQuant()
                                  : DefaultWeightFakeQuant()};
}

template <Backend kBackend>
QConfig BackendQConfig() {
  return GetDefaultQConfig(kBackend);
}

template <Backend kBackend>
QConfig BackendQatQConfig() {
  return QatQConfig(kBackend, /*fused=*/true);
}

// Specs that a mapping for training has others of.
struct MappingSpecs {
  ObserverSpec per_tensor_weight;
  ObserverSpec from_0_to_1;
  ObserverSpec from_neg1_to_1;
};

QConfigMapping MappingOf(Backend backend, const QConfig& qconfig,
                         const MappingSpecs& specs) {
  QConfig transposed = qconfig;
  if (HasSaturatingSums(backend)) {
    transposed.weight = specs.per_tensor_weight;
  }
  const QConfig unit_interval = {specs.from_0_to_1, specs.per_tensor_weight};
  return QConfigMapping()
      .SetGlobal(qconfig)
      .SetObjectType("reshape", DefaultReuseInputQConfig())
      .SetObjectType("conv1d", qconfig)
      .SetObjectType("conv2d", qconfig)
      .SetObjectType("conv3d", qconfig)
      .SetObjectType("conv_transpose1d", transposed)
      .SetObjectType("conv_transpose2d", transposed)
      .SetObjectType("conv_transpose3d", transposed)
      .SetObjectType("linear", qconfig)
      .SetObjectType("relu", qconfig)
      .SetObjectType("batch_norm", qconfig)
      .SetObjectType("layer_norm", QConfig{qconfig.activation})
      .SetObjectType("hardsigmoid", unit_interval)
      .SetObjectType("sigmoid", unit_interval)
      .SetObjectType("torch.nn.modules.activation.Softmax", unit_interval)
      .SetObjectType("tanh",
                     QConfig{specs.from_neg1_to_1, specs.per_tensor_weight});
}

constexpr std::pair<absl::string_view, QConfig (*)()> kPresets[] = {
    {"int8-per-tensor", Int8PerTensorQConfig},
    {"int8-per-channel", Int8PerChannelQConfig},
    {"dynamic", DynamicQConfig},
    {"fp16", Fp16QConfig},
    {"int4-weights", Int4WeightsQConfig},
    {"fbgemm", BackendQConfig<Backend::kFbgemm>},
    {"x86", BackendQConfig<Backend::kX86>},
    {"onednn", BackendQConfig<Backend::kOnednn>},
    {"qnnpack", BackendQConfig<Backend::kQnnpack>},
    {"fbgemm-qat", BackendQatQConfig<Backend::kFbgemm>},
    {"x86-qat", BackendQatQConfig<Backend::kX86>},
    {"onednn-qat", BackendQatQConfig<Backend::kOnednn>},
    {"qnnpack-qat", BackendQatQConfig<Backend::kQnnpack>},
    {"default", DefaultQConfig},
    {"default-per-channel", DefaultPerChannelQConfig},
    {"default-dynamic", DefaultDynamicQConfig},
    {"per-channel-dynamic", PerChannelDynamicQConfig},
    {"float16-dynamic", Float16DynamicQConfig},
    {"float16-static", Float16StaticQConfig},
    {"float-qparams-weight-only", FloatQParamsWeightOnlyQConfig},
    {"float-qparams-weight-only-4bit", FloatQParamsWeightOnlyQConfig4Bit},
    {"default-weight-only", DefaultWeightOnlyQConfig},
    {"default-activation-only", DefaultActivationOnlyQConfig},
    {"default-debug", DefaultDebugQConfig},
    {"default-reuse-input", DefaultReuseInputQConfig},
    {"default-qat", DefaultQatQConfig},
    {"default-qat-v2", DefaultQatQConfigV2},
    {"default-dynamic-qat", DefaultDynamicQatQConfig},
    {"default-embedding-qat", DefaultEmbeddingQatQConfig},
    {"default-embedding-qat-4bit", DefaultEmbeddingQatQConfig4Bit},
    {"default-symmetric-qnnpack", DefaultSymmetricQnnpackQConfig},
    {"default-per-channel-symmetric-qnnpack",
     DefaultPerChannelSymmetricQnnpackQConfig},
    {"default-symmetric-qnnpack-qat", DefaultSymmetricQnnpackQatQConfig},
    {"default-per-channel-symmetric-qnnpack-qat",
     DefaultPerChannelSymmetricQnnpackQatQConfig},
};

}  // namespace

std::vector<absl::string_view> BackendNames() {
  std::vector<absl::string_view> names;
  for (const auto& [name, backend] : kBackends) {
    names.push_back(name);
  }
  return names;
}

absl::string_view BackendName(Backend backend) {
  for (const auto& [name, known] : kBackends) {
    if (known == backend) {
      return name;
    }
  }
  return "unknown";
}

absl::StatusOr<Backend> BackendNamed(absl::string_view name) {
  for (const auto& [known, backend] : kBackends) {
    if (known == name) {
      return backend;
    }
  }
  return absl::InvalidArgumentError(
      absl::StrCat("unknown backend '", name, "'; use ",
                   absl::StrJoin(BackendNames(), ", ")));
}

QConfig DefaultQConfig() {
  return {DefaultObserver(), DefaultWeightObserver()};
}

QConfig DefaultPerChannelQConfig() {
  return {DefaultObserver(), DefaultPerChannelWeightObserver()};
}

QConfig DefaultDynamicQConfig() {
  return {DefaultDynamicQuantObserver(), DefaultWeightObserver()};
}

QConfig PerChannelDynamicQConfig() {
  return {DefaultDynamicQuantObserver(), DefaultPerChannelWeightObserver()};
}

QConfig Float16DynamicQConfig() {
  QConfig qconfig = Float16StaticQConfig();
  qconfig.activation.config.compute_dtype = at::kHalf;
  return qconfig;
}

QConfig Float16StaticQConfig() {
  return {PlaceholderSpec(at::kHalf), PlaceholderSpec(at::kHalf)};
}

QConfig FloatQParamsWeightOnlyQConfig() {
  return {DefaultPlaceholderObserver(), DefaultFloatQParamsObserver()};
}

QConfig FloatQParamsWeightOnlyQConfig4Bit() {
  return {DefaultPlaceholderObserver(), DefaultFloatQParamsObserver4Bit()};
}

QConfig DefaultWeightOnlyQConfig() {
  return {DefaultPlaceholderObserver(), DefaultWeightFakeQuant()};
}

QConfig DefaultActivationOnlyQConfig() {
  return {DefaultFakeQuant(), DefaultPlaceholderObserver()};
}

QConfig DefaultDebugQConfig() {
  return {DefaultDebugObserver(), DefaultWeightObserver()};
}

QConfig DefaultReuseInputQConfig() {
  return {DefaultReuseInputObserver(), SpecOf(ObserverKind::kNoop)};
}

QConfig DefaultQatQConfig() {
  return {DefaultFakeQuant(), DefaultWeightFakeQuant()};
}

QConfig DefaultQatQConfigV2() {
  return {DefaultFusedActFakeQuant(), DefaultFusedWtFakeQuant()};
}

QConfig DefaultDynamicQatQConfig() {
  return {DefaultDynamicFakeQuant(), DefaultWeightFakeQuant()};
}

QConfig DefaultEmbeddingQatQConfig() {
  return EmbeddingQatQConfig(DefaultEmbeddingFakeQuant());
}

QConfig DefaultEmbeddingQatQConfig4Bit() {
  return EmbeddingQatQConfig(DefaultEmbeddingFakeQuant4Bit());
}

QConfig DefaultSymmetricQnnpackQConfig() {
  return {Signed(HistogramSpec(/*reduce_range=*/false)),
          WeightObserverRangeNeg127To127()};
}

QConfig DefaultPerChannelSymmetricQnnpackQConfig() {
  return {Signed(HistogramSpec(/*reduce_range=*/false)),
          PerChannelWeightObserverRangeNeg127To127()};
}

QConfig DefaultSymmetricQnnpackQatQConfig() {
  return {SignedFakeQuant(), FusedWtFakeQuantRangeNeg127To127()};
}

QConfig DefaultPerChannelSymmetricQnnpackQatQConfig() {
  return {SignedFakeQuant(), FusedPerChannelWtFakeQuantRangeNeg127To127()};
}

QConfig GetDefaultQConfig(Backend backend) {
  return {HistogramSpec(HasSaturatingSums(backend)),
          backend == Backend::kQnnpack ? DefaultWeightObserver()
                                       : DefaultPerChannelWeightObserver()};
}

absl::StatusOr<QConfig> GetDefaultQatQConfig(Backend backend, int version) {
  if (version != 0 && version != 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "qconfigs for training have no version ", version, "; use 0 or 1"));
  }
  return QatQConfig(backend, /*fused=*/version == 1);
}

QConfigMapping GetDefaultQConfigMapping(Backend backend) {
  return MappingOf(
      backend, GetDefaultQConfig(backend),
      {DefaultWeightObserver(), DefaultFixedQParamsRange0To1Observer(),
       DefaultFixedQParamsRangeNeg1To1Observer()});
}

absl::StatusOr<QConfigMapping> GetDefaultQatQConfigMapping(Backend backend,
                                                           int version) {
  NS_ASSIGN_OR_RETURN(const QConfig qconfig,
                      GetDefaultQatQConfig(backend, version));
  return MappingOf(
      backend, qconfig,
      {DefaultWeightFakeQuant(), DefaultFixedQParamsRange0To1FakeQuant(),
       DefaultFixedQParamsRangeNeg1To1FakeQuant()});
}

std::vector<std::string> PresetNames() {
  std::vector<std::string> names;
  for (const auto& [name, make] : kPresets) {
    names.emplace_back(name);
  }
  return names;
}

absl::StatusOr<QConfig> PresetNamed(absl::string_view name) {
  std::vector<absl::string_view> names;
  for (const auto& [known, make] : kPresets) {
    if (known == name) {
      return make();
    }
    names.push_back(known);
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "unknown qconfig '", name, "'; ",
      DidYouMean(name, names,
                 absl::StrCat("use ", absl::StrJoin(names, ", ")))));
}

std::optional<std::string> PresetNameOf(const QConfig& qconfig) {
  for (const auto& [name, make] : kPresets) {
    if (make() == qconfig) {
      return std::string(name);
    }
  }
  return std::nullopt;
}

}  // namespace ns
