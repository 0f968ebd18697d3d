#include "passes/quantization/layer_saturation.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/node_view.h"
#include "ir/refusal.h"
#include "ir/status.h"
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

}  // namespace

bool HasSaturatingKernel(const Node& layer, kernels::SaturationMode mode) {
  const absl::StatusOr<kernels::ConvShape> shape = ShapeOf(layer);
  if (shape.ok()) {
    return kernels::ConvSaturates(*shape, mode);
  }
  const absl::StatusOr<bool> is_transposed = IsTransposed(layer);
  return is_transposed.ok() && *is_transposed
             ? kernels::GemmSaturates(mode)
             : kernels::DepthwiseSaturates(mode);
}

bool CanSaturate(const Node& layer, const at::Tensor& weight,
                 kernels::SaturationMode mode) {
  if (!HasSaturatingKernel(layer, mode)) {
    return false;
  }
  const absl::StatusOr<kernels::ConvShape> shape = ShapeOf(layer);
  if (!shape.ok() || weight.scalar_type() != at::kQInt8) {
    return true;
  }
  const at::Tensor integers = weight.int_repr().contiguous();
  return kernels::BoundPairSums(*shape, integers.data_ptr<int8_t>())
             .leaving_channels > 0;
}

}  // namespace ns
