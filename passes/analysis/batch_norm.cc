#include "passes/analysis/batch_norm.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/ir/ir.h>

#include <optional>

#include "absl/strings/str_cat.h"
#include "ir/base/refusal.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/graph/constant_argument.h"

namespace ns {

namespace {

// Throws where an argument of the norm is defined and has not one number for
// each channel, as `other` has.
void CheckChannels(const at::Tensor& argument, const at::Tensor& other) {
  TORCH_CHECK(!argument.defined() || argument.sizes() == other.sizes(),
              "arguments of a norm for ", argument.numel(), " and ",
              other.numel(), " channels");
}

}  // namespace

using ::torch::jit::Node;

absl::StatusOr<at::Tensor> ConstantTensorInput(const Node& node,
                                               absl::string_view name,
                                               absl::string_view what) {
  const std::optional<c10::IValue> constant = ConstantArgument(node, name);
  if (!constant || !(constant->isTensor() || constant->isNone())) {
    return Refusal(absl::StrCat(what, " is not constant"));
  }
  return constant->isTensor() ? constant->toTensor() : at::Tensor();
}

absl::StatusOr<BatchNorm> BatchNormOf(const Node& node) {
  const std::optional<c10::IValue> training =
      ConstantArgument(node, "training");
  if (!training || !training->isBool() || training->toBool()) {
    return Refusal("it computes its statistics itself, as in training");
  }
  const std::optional<c10::IValue> eps = ConstantArgument(node, "eps");
  if (!eps || !eps->isDouble()) {
    return Refusal("its eps is not constant");
  }
  BatchNorm norm;
  norm.eps = eps->toDouble();
  NS_ASSIGN_OR_RETURN(
      norm.mean, ConstantTensorInput(node, "running_mean", "its running mean"));
  NS_ASSIGN_OR_RETURN(
      norm.variance,
      ConstantTensorInput(node, "running_var", "its running variance"));
  NS_ASSIGN_OR_RETURN(norm.weight,
                      ConstantTensorInput(node, "weight", "its weight"));
  NS_ASSIGN_OR_RETURN(norm.bias, ConstantTensorInput(node, "bias", "its bias"));
  if (!norm.mean.defined() || !norm.variance.defined()) {
    return Refusal("it has no running statistics");
  }
  return norm;
}

absl::StatusOr<at::Tensor> BatchNormScale(const at::Tensor& variance,
                                          double eps, const at::Tensor& gamma) {
  return CatchTorchErrors([&] {
    CheckChannels(gamma, variance);
    const at::Tensor scale = at::rsqrt(variance + eps);
    return gamma.defined() ? scale * gamma : scale;
  });
}

absl::StatusOr<at::Tensor> BatchNormBias(const at::Tensor& bias,
                                         const BatchNorm& norm,
                                         NormedLayer layer) {
  return CatchTorchErrors([&] {
    TORCH_CHECK(bias.sizes() == norm.mean.sizes(), "a norm of ",
                norm.mean.numel(), " channels behind a layer of ",
                bias.numel());
    for (const at::Tensor& argument : {norm.variance, norm.weight, norm.bias}) {
      CheckChannels(argument, norm.mean);
    }
    const at::Tensor centered = bias - norm.mean;
    const at::Tensor factor = at::rsqrt(norm.variance + norm.eps);
    at::Tensor folded;
    if (!norm.weight.defined()) {
      folded = centered * factor;
    } else if (layer == NormedLayer::kLinear) {
      folded = centered * (norm.weight * factor);
    } else {
      folded = centered * factor * norm.weight;
    }
    // PyTorch adds zeros where there is no beta: -0 becomes 0.
    return folded + (norm.bias.defined() ? norm.bias : at::zeros_like(folded));
  });
}

}  // namespace ns
