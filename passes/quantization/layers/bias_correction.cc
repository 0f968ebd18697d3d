#include "passes/quantization/layers/bias_correction.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include <cstddef>
#include <utility>

#include "absl/status/status.h"
#include "ir/graph/node_view.h"
#include "passes/analysis/conv_numbers.h"
#include "passes/quantization/layers/layer_site.h"

namespace ns {

using ::torch::jit::Node;
using ::torch::jit::Value;

std::optional<ConvGeometry> CorrectableGeometry(const Node& layer) {
  const Value* bias = InputNamed(layer, "bias");
  absl::StatusOr<ConvGeometry> geometry = GeometryOf(layer);
  const bool has_known_bias = bias != nullptr && ConstantOf(*bias);
  return geometry.ok() && has_known_bias
             ? std::make_optional(*std::move(geometry))
             : std::nullopt;
}

at::Tensor BiasShift(const at::Tensor& weight, const at::Tensor& quantized,
                     const at::Tensor& mean) {
  const int64_t outputs = weight.size(0);
  const int64_t inputs = weight.size(1);
  if (!mean.defined() || weight.sizes() != quantized.sizes() ||
      mean.size(0) % inputs != 0 ||
      weight.numel() != outputs * inputs * mean.size(1)) {
    return {};
  }
  const int64_t groups = mean.size(0) / inputs;
  if (outputs % groups != 0) {
    return {};
  }
  const at::Tensor lost =
      (weight.detach().to(at::kDouble) - quantized.to(at::kDouble))
          .reshape({groups, outputs / groups, -1});
  at::Tensor shift = lost.matmul(mean.reshape({groups, -1, 1}))
                         .reshape({outputs})
                         .to(at::kFloat);
  return shift.isfinite().all().item<bool>() ? shift : at::Tensor();
}

absl::StatusOr<bool> ShiftBias(const at::Tensor& shift, Node& layer) {
  const size_t index = ArgumentIndex(layer, "bias");
  const auto bias = ConstantOf(*layer.input(index));
  if (!bias || !(bias->isNone() || bias->isTensor())) {
    return absl::InvalidArgumentError("its bias is not constant");
  }
  if (!shift.defined() || shift.eq(0).all().item<bool>()) {
    return false;
  }
  const torch::jit::WithInsertPoint in_front(&layer);
  layer.replaceInput(
      index, layer.owningGraph()->insertConstant(
                 bias->isTensor() ? bias->toTensor().detach() + shift : shift));
  return true;
}

}  // namespace ns
