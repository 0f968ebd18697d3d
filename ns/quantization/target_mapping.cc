#include "ns/quantization/target_mapping.h"

#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "ir/node_view.h"
#include "passes/kernels/conv/conv_saturation.h"
#include "passes/kernels/conv_shape.h"
#include "passes/quantization/bias_correction.h"
#include "passes/quantization/float_subgraphs.h"
#include "passes/quantization/layer_rule.h"
#include "passes/quantization/qconfig.h"

namespace ns {
namespace {

using ::torch::jit::Node;

// `numbers` with leading ones, or other `missing` numbers.
kernels::Dims DimsOf(const std::vector<int64_t>& numbers, int64_t missing) {
  kernels::Dims dims;
  dims.fill(missing);
  std::copy_backward(numbers.begin(), numbers.end(), dims.end());
  return dims;
}

// The shape of a convolution that is not transposed; nothing for other ops.
std::optional<kernels::ConvShape> ShapeOf(const Node& layer) {
  const std::optional<ConvGeometry> geometry = CorrectableGeometry(layer);
  if (!geometry || geometry->kernel.empty() || geometry->kernel.size() > 3) {
    return std::nullopt;
  }
  const auto weight = ConstantOf(*InputNamed(layer, "weight"));
  const torch::jit::Value* groups_input = InputNamed(layer, "groups");
  const auto groups =
      groups_input == nullptr ? std::nullopt : ConstantOf(*groups_input);
  if (!weight || !groups || !groups->isInt()) {
    return std::nullopt;
  }
  kernels::ConvShape shape;
  shape.groups = groups->toInt();
  shape.out_channels = weight->toTensor().size(0);
  shape.in_channels = weight->toTensor().size(1) * shape.groups;
  shape.kernel = DimsOf(geometry->kernel, 1);
  shape.stride = DimsOf(geometry->stride, 1);
  shape.padding = DimsOf(geometry->padding, 0);
  shape.dilation = DimsOf(geometry->dilation, 1);
  return shape;
}

QConfig WithNarrowWeights(QConfig qconfig) {
  qconfig.weight.config.quant_min = -64;
  qconfig.weight.config.quant_max = 63;
  return qconfig;
}

}  // namespace

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
    const auto shape = ShapeOf(*layer.subgraph.base);
    const OptionalQConfig qconfig = base.Choose(layer).qconfig;
    if (shape && qconfig && qconfig->weight.config.dtype == at::kQInt8 &&
        kernels::ConvSaturates(*shape, options.target)) {
      SetLayerQConfig(layers, layer, WithNarrowWeights(*qconfig), mapping);
    }
  }
  return mapping;
}

}  // namespace ns
