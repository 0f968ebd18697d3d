#include "ns/quantization/eager/module_mappings.h"

#include <set>

#include "absl/strings/str_cat.h"
#include "ir/graph/module_path.h"

namespace ns {
namespace {

constexpr char kFloat[] = "torch.nn.modules.";
constexpr char kFused[] = "torch.ao.nn.intrinsic.modules.fused.";
constexpr char kQat[] = "torch.ao.nn.qat.modules.";
constexpr char kFusedQat[] = "torch.nn.intrinsic.qat.modules.";
constexpr char kQuantized[] = "torch.ao.nn.quantized.modules.";
constexpr char kFusedQuantized[] = "torch.nn.intrinsic.quantized.modules.";
constexpr char kDynamic[] = "torch.ao.nn.quantized.dynamic.modules.";
constexpr char kFusedDynamic[] =
    "torch.nn.intrinsic.quantized.dynamic.modules.";
constexpr char kStubs[] = "torch.ao.quantization.stubs.";

// A row of a mapping: the names below a prefix each.
struct Row {
  const char* from;
  const char* to;
};

void Add(ModuleMapping& mapping, absl::string_view from_prefix,
         absl::string_view to_prefix, const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    mapping[absl::StrCat(from_prefix, row.from)] =
        absl::StrCat(to_prefix, row.to);
  }
}

ModuleMapping StaticMappings() {
  ModuleMapping mapping;
  Add(mapping, kStubs, kQuantized,
      {{"QuantStub", "Quantize"}, {"DeQuantStub", "DeQuantize"}});
  Add(mapping, kFloat, kQuantized,
      {{"batchnorm.BatchNorm2d", "batchnorm.BatchNorm2d"},
       {"batchnorm.BatchNorm3d", "batchnorm.BatchNorm3d"},
       {"dropout.Dropout", "dropout.Dropout"},
       {"conv.Conv1d", "conv.Conv1d"},
       {"conv.Conv2d", "conv.Conv2d"},
       {"conv.Conv3d", "conv.Conv3d"},
       {"conv.ConvTranspose1d", "conv.ConvTranspose1d"},
       {"conv.ConvTranspose2d", "conv.ConvTranspose2d"},
       {"conv.ConvTranspose3d", "conv.ConvTranspose3d"},
       {"activation.ELU", "activation.ELU"},
       {"activation.Hardswish", "activation.Hardswish"},
       {"activation.LeakyReLU", "activation.LeakyReLU"},
       {"activation.PReLU", "activation.PReLU"},
       {"activation.ReLU6", "activation.ReLU6"},
       {"sparse.Embedding", "embedding_ops.Embedding"},
       {"sparse.EmbeddingBag", "embedding_ops.EmbeddingBag"},
       {"normalization.GroupNorm", "normalization.GroupNorm"},
       {"normalization.LayerNorm", "normalization.LayerNorm"},
       {"instancenorm.InstanceNorm1d", "normalization.InstanceNorm1d"},
       {"instancenorm.InstanceNorm2d", "normalization.InstanceNorm2d"},
       {"instancenorm.InstanceNorm3d", "normalization.InstanceNorm3d"},
       {"linear.Linear", "linear.Linear"},
       {"linear.NonDynamicallyQuantizableLinear", "linear.Linear"}});
  Add(mapping, kQuantized, kQuantized,
      {{"functional_modules.FloatFunctional",
        "functional_modules.QFunctional"}});
  Add(mapping, kFused, kFusedQuantized,
      {{"BNReLU2d", "bn_relu.BNReLU2d"},
       {"BNReLU3d", "bn_relu.BNReLU3d"},
       {"ConvReLU1d", "conv_relu.ConvReLU1d"},
       {"ConvReLU2d", "conv_relu.ConvReLU2d"},
       {"ConvReLU3d", "conv_relu.ConvReLU3d"},
       {"LinearReLU", "linear_relu.LinearReLU"}});
  Add(mapping, kFusedQat, kQuantized,
      {{"conv_fused.ConvBn1d", "conv.Conv1d"},
       {"conv_fused.ConvBn2d", "conv.Conv2d"},
       {"conv_fused.ConvBn3d", "conv.Conv3d"},
       {"linear_fused.LinearBn1d", "linear.Linear"}});
  Add(mapping, kFusedQat, kFusedQuantized,
      {{"conv_fused.ConvBnReLU1d", "conv_relu.ConvReLU1d"},
       {"conv_fused.ConvBnReLU2d", "conv_relu.ConvReLU2d"},
       {"conv_fused.ConvBnReLU3d", "conv_relu.ConvReLU3d"},
       {"conv_fused.ConvReLU2d", "conv_relu.ConvReLU2d"},
       {"conv_fused.ConvReLU3d", "conv_relu.ConvReLU3d"},
       {"linear_relu.LinearReLU", "linear_relu.LinearReLU"}});
  Add(mapping, kQat, kQuantized,
      {{"linear.Linear", "linear.Linear"},
       {"conv.Conv2d", "conv.Conv2d"},
       {"conv.Conv3d", "conv.Conv3d"}});
  return mapping;
}

ModuleMapping QatMappings() {
  ModuleMapping mapping;
  Add(mapping, kFloat, kQat,
      {{"conv.Conv2d", "conv.Conv2d"},
       {"conv.Conv3d", "conv.Conv3d"},
       {"linear.Linear", "linear.Linear"},
       {"linear.NonDynamicallyQuantizableLinear", "linear.Linear"}});
  Add(mapping, kFused, kFusedQat,
      {{"ConvBn1d", "conv_fused.ConvBn1d"},
       {"ConvBn2d", "conv_fused.ConvBn2d"},
       {"ConvBn3d", "conv_fused.ConvBn3d"},
       {"ConvBnReLU1d", "conv_fused.ConvBnReLU1d"},
       {"ConvBnReLU2d", "conv_fused.ConvBnReLU2d"},
       {"ConvBnReLU3d", "conv_fused.ConvBnReLU3d"},
       {"ConvReLU2d", "conv_fused.ConvReLU2d"},
       {"ConvReLU3d", "conv_fused.ConvReLU3d"},
       {"LinearReLU", "linear_relu.LinearReLU"},
       {"LinearBn1d", "linear_fused.LinearBn1d"}});
  return mapping;
}

ModuleMapping EmbeddingQatMappings() {
  ModuleMapping mapping = QatMappings();
  Add(mapping, kFloat, kQat,
      {{"sparse.Embedding", "embedding_ops.Embedding"},
       {"sparse.EmbeddingBag", "embedding_ops.EmbeddingBag"}});
  return mapping;
}

ModuleMapping EmbeddingStaticMappings() {
  ModuleMapping mapping = StaticMappings();
  Add(mapping, kQat, kQuantized,
      {{"embedding_ops.Embedding", "embedding_ops.Embedding"},
       {"embedding_ops.EmbeddingBag", "embedding_ops.EmbeddingBag"}});
  return mapping;
}

ModuleMapping DynamicMappings() {
  ModuleMapping mapping;
  Add(mapping, kFloat, kDynamic,
      {{"linear.Linear", "linear.Linear"},
       {"linear.NonDynamicallyQuantizableLinear", "linear.Linear"},
       {"rnn.LSTM", "rnn.LSTM"},
       {"rnn.GRU", "rnn.GRU"},
       {"rnn.LSTMCell", "rnn.LSTMCell"},
       {"rnn.GRUCell", "rnn.GRUCell"},
       {"rnn.RNNCell", "rnn.RNNCell"}});
  Add(mapping, "torch.ao.nn.qat.dynamic.modules.", kDynamic,
      {{"linear.Linear", "linear.Linear"}});
  Add(mapping, kFused, kFusedDynamic,
      {{"LinearReLU", "linear_relu.LinearReLU"}});
  Add(mapping, kFloat, kQuantized,
      {{"sparse.Embedding", "embedding_ops.Embedding"},
       {"sparse.EmbeddingBag", "embedding_ops.EmbeddingBag"}});
  return mapping;
}

}  // namespace

const ModuleMapping& GetDefaultStaticQuantModuleMappings() {
  static const auto& mapping = *new ModuleMapping(StaticMappings());
  return mapping;
}

const ModuleMapping& GetDefaultQatModuleMappings() {
  static const auto& mapping = *new ModuleMapping(QatMappings());
  return mapping;
}

const ModuleMapping& GetEmbeddingQatModuleMappings() {
  static const auto& mapping = *new ModuleMapping(EmbeddingQatMappings());
  return mapping;
}

const ModuleMapping& GetEmbeddingStaticQuantModuleMappings() {
  static const auto& mapping = *new ModuleMapping(EmbeddingStaticMappings());
  return mapping;
}

const ModuleMapping& GetDefaultDynamicQuantModuleMappings() {
  static const auto& mapping = *new ModuleMapping(DynamicMappings());
  return mapping;
}

absl::string_view MappedType(const ModuleMapping& mapping,
                             absl::string_view type) {
  const auto exact = mapping.find(std::string(type));
  if (exact != mapping.end()) {
    return exact->second;
  }
  // Whole names are longer than last parts.
  size_t length = 0;
  absl::string_view mapped;
  for (const auto& [from, to] : mapping) {
    if (from.size() > length && IsTypeNamed(type, from)) {
      length = from.size();
      mapped = to;
    }
  }
  return mapped;
}

std::vector<std::string> GetDefaultQConfigPropagationList() {
  std::set<std::string> types = {absl::StrCat(kFloat, "container.Sequential")};
  for (const ModuleMapping* mapping :
       {&GetDefaultStaticQuantModuleMappings(), &GetDefaultQatModuleMappings(),
        &GetDefaultDynamicQuantModuleMappings()}) {
    for (const auto& [from, to] : *mapping) {
      types.insert(from);
    }
  }
  return {types.begin(), types.end()};
}

}  // namespace ns
