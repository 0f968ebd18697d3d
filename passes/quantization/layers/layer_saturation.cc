#include "passes/quantization/layers/layer_saturation.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <tuple>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/base/refusal.h"
#include "ir/base/status.h"
#include "ir/graph/node_view.h"
#include "passes/analysis/conv_numbers.h"
#include "passes/kernels/conv/conv_saturation.h"
#include "passes/kernels/conv/pair_sums.h"
#include "passes/kernels/conv_shape.h"

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

// The shape of a convolution that is not transposed; a linear layer is one of
// one position. A refusal for other ops.
absl::StatusOr<kernels::ConvShape> ShapeOf(const Node& layer) {
  NS_ASSIGN_OR_RETURN(const ConvGeometry geometry, GeometryOf(layer));
  const at::Tensor weight =
      EvaluatedConstant(*InputNamed(layer, "weight"))->toTensor();
  const size_t dimensions = geometry.kernel.size();
  if (dimensions > 3) {
    return Refusal("no kernel of fbgemm takes it");
  }
  kernels::ConvShape shape;
  if (dimensions > 0) {
    NS_ASSIGN_OR_RETURN(shape.groups,
                        ConvNumbers(layer, dimensions).Number("groups"));
  }
  shape.out_channels = weight.size(0);
  shape.in_channels = weight.size(1) * shape.groups;
  shape.kernel = DimsOf(geometry.kernel, 1);
  shape.stride = DimsOf(geometry.stride, 1);
  shape.padding = DimsOf(geometry.padding, 0);
  shape.dilation = DimsOf(geometry.dilation, 1);
  shape.is_3d = dimensions == 3;
  return shape;
}

// Whether oneDNN has a kernel for it in which no sum saturates.
bool IsOneDnnDepthwise(const kernels::ConvShape& shape) {
  return !shape.is_3d && shape.groups > 1 &&
         shape.groups == shape.in_channels &&
         shape.groups == shape.out_channels;
}

// Whether 255 times the sum of two of an output channel's weights leaves the
// range of int16, whichever two. `weight` is int8, its rows output channels.
bool SomePairLeaves(const at::Tensor& weight) {
  const at::Tensor rows = weight.flatten(1).to(at::kInt);
  const int64_t pair = std::min<int64_t>(rows.size(1), 2);
  const auto sum_of_extremes = [&](bool largest) {
    const at::Tensor values = std::get<0>(rows.topk(pair, 1, largest));
    return largest ? values.clamp_min(0).sum(1).max().item<int64_t>()
                   : values.clamp_max(0).sum(1).min().item<int64_t>();
  };
  return weight.numel() > 0 &&
         (255 * sum_of_extremes(true) > std::numeric_limits<int16_t>::max() ||
          255 * sum_of_extremes(false) < std::numeric_limits<int16_t>::min());
}

}  // namespace

bool HasSaturatingKernel(const Node& layer, QuantizationTarget target) {
  const std::optional<kernels::SaturationMode> mode = SaturationOf(target);
  const absl::StatusOr<kernels::ConvShape> shape = ShapeOf(layer);
  if (!mode) {
    return !shape.ok() || !IsOneDnnDepthwise(*shape);
  }
  if (shape.ok()) {
    return kernels::ConvSaturates(*shape, *mode);
  }
  const absl::StatusOr<bool> is_transposed = IsTransposed(layer);
  return is_transposed.ok() && *is_transposed
             ? kernels::GemmSaturates(*mode)
             : kernels::DepthwiseSaturates(*mode);
}

bool CanSaturate(const Node& layer, const at::Tensor& weight,
                 QuantizationTarget target) {
  if (!HasSaturatingKernel(layer, target)) {
    return false;
  }
  const absl::StatusOr<kernels::ConvShape> shape = ShapeOf(layer);
  if (!shape.ok() || weight.scalar_type() != at::kQInt8) {
    return true;
  }
  const at::Tensor integers = weight.int_repr().contiguous();
  if (!SaturationOf(target)) {
    return SomePairLeaves(integers);
  }
  return kernels::BoundPairSums(*shape, integers.data_ptr<int8_t>())
             .leaving_channels > 0;
}

}  // namespace ns
