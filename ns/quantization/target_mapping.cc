#include "ns/quantization/target_mapping.h"

#include <torch/csrc/jit/ir/ir.h>

#include <utility>
#include <vector>

#include "passes/quantization/float_subgraphs.h"
#include "passes/quantization/int8_form.h"
#include "passes/quantization/layer_rule.h"
#include "passes/quantization/layer_saturation.h"
#include "passes/quantization/qconfig.h"

namespace ns {
namespace {

using ::torch::jit::Node;

QConfig WithNarrowWeights(QConfig qconfig) {
  qconfig.weight.config = NarrowWeights(qconfig.weight.config);
  return qconfig;
}

}  // namespace

ObserverConfig NarrowWeights(ObserverConfig config) {
  config.quant_min = -64;
  config.quant_max = 64;
  return config;
}

QConfigMapping TargetMapping(const ModelGraph& model,
                             const QuantizeOptions& options) {
  QConfigMapping mapping = DefaultMapping(options);
  if (options.mode != QuantizeMode::kStatic ||
      options.target != kernels::SaturationMode::kFbgemmVnni) {
    return mapping;
  }
  const QConfigMapping base = mapping;
  const std::vector<FloatSubgraph> layers =
      FindFloatSubgraphs(model.graph(), {}, FusingOps::kLibTorch);
  for (const FloatSubgraph& layer : layers) {
    const Node& node = *layer.subgraph.base;
    const OptionalQConfig qconfig = base.Choose(layer).qconfig;
    if (PackedWeightInput(node) >= 0 && qconfig &&
        qconfig->weight.config.dtype == at::kQInt8 &&
        HasSaturatingKernel(node, options.target)) {
      SetLayerQConfig(layers, layer, WithNarrowWeights(*qconfig), mapping);
    }
  }
  return mapping;
}

}  // namespace ns
