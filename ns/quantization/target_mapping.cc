#include "ns/quantization/target_mapping.h"

#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/node_view.h"
#include "ir/refusal.h"
#include "ir/status.h"
#include "passes/analysis/conv_numbers.h"
#include "passes/kernels/conv/conv_saturation.h"
#include "passes/kernels/conv_shape.h"
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

// The shape of a convolution that is not transposed. A refusal for other ops.
absl::StatusOr<kernels::ConvShape> ShapeOf(const Node& layer) {
  NS_ASSIGN_OR_RETURN(const ConvGeometry geometry, GeometryOf(layer));
  const size_t dimensions = geometry.kernel.size();
  if (dimensions == 0 || dimensions > 3) {
    return Refusal("no kernel of fbgemm takes it");
  }
  NS_ASSIGN_OR_RETURN(const int64_t groups,
                      ConvNumbers(layer, dimensions).Number("groups"));
  const at::Tensor weight =
      EvaluatedConstant(*InputNamed(layer, "weight"))->toTensor();
  kernels::ConvShape shape;
  shape.groups = groups;
  shape.out_channels = weight.size(0);
  shape.in_channels = weight.size(1) * groups;
  shape.kernel = DimsOf(geometry.kernel, 1);
  shape.stride = DimsOf(geometry.stride, 1);
  shape.padding = DimsOf(geometry.padding, 0);
  shape.dilation = DimsOf(geometry.dilation, 1);
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
    if (shape.ok() && qconfig && qconfig->weight.config.dtype == at::kQInt8 &&
        kernels::ConvSaturates(*shape, options.target)) {
      SetLayerQConfig(layers, layer, WithNarrowWeights(*qconfig), mapping);
    }
  }
  return mapping;
}

}  // namespace ns
