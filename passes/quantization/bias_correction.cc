#include "passes/quantization/bias_correction.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include "absl/status/statusor.h"
#include "ir/node_view.h"
#include "ir/refusal.h"
#include "ir/status.h"
#include "passes/analysis/conv_numbers.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

// A refusal for layers that cannot be corrected.
absl::StatusOr<ConvGeometry> GeometryOf(const Node& layer) {
  const Value* weight_input = InputNamed(layer, "weight");
  const Value* bias = InputNamed(layer, "bias");
  const auto weight =
      weight_input == nullptr ? std::nullopt : EvaluatedConstant(*weight_input);
  if (!weight || !weight->isTensor() || bias == nullptr ||
      (!bias->mustBeNone() && !ConstantOf(*bias))) {
    return Refusal("it has no constant weight and bias");
  }
  if (layer.kind() == c10::aten::linear) {
    return ConvGeometry();
  }
  const at::IntArrayRef sizes = weight->toTensor().sizes();
  if (InputNamed(layer, "stride") == nullptr || sizes.size() < 3) {
    return Refusal("it is no convolution");
  }
  NS_ASSIGN_OR_RETURN(const bool is_transposed, IsTransposed(layer));
  if (is_transposed) {
    return Refusal("it is a transposed convolution");
  }
  ConvGeometry geometry;
  geometry.kernel = sizes.slice(2).vec();
  const ConvNumbers numbers(layer, geometry.kernel.size());
  NS_ASSIGN_OR_RETURN(geometry.stride, numbers.List("stride"));
  NS_ASSIGN_OR_RETURN(geometry.padding, numbers.List("padding"));
  NS_ASSIGN_OR_RETURN(geometry.dilation, numbers.List("dilation"));
  return geometry;
}

}  // namespace

std::optional<ConvGeometry> CorrectableGeometry(const Node& layer) {
  absl::StatusOr<ConvGeometry> geometry = GeometryOf(layer);
  return geometry.ok() ? std::make_optional(*std::move(geometry))
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

absl::Status AddToBias(const at::Tensor& shift, Node& layer) {
  const Value* bias = InputNamed(layer, "bias");
  const auto constant = bias == nullptr ? std::nullopt : ConstantOf(*bias);
  if (!constant || !(constant->isNone() || constant->isTensor())) {
    return absl::InvalidArgumentError("its bias is not constant");
  }
  const torch::jit::WithInsertPoint in_front(&layer);
  Value* corrected = layer.owningGraph()->insertConstant(
      constant->isTensor() ? constant->toTensor().detach() + shift : shift);
  for (size_t i = 0; i < layer.inputs().size(); ++i) {
    if (layer.input(i) == bias) {
      layer.replaceInput(i, corrected);
      break;
    }
  }
  return absl::OkStatus();
}

}  // namespace ns
