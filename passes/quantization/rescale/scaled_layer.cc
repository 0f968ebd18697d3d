#include "passes/quantization/rescale/scaled_layer.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/base/refusal.h"
#include "ir/base/status.h"
#include "ir/graph/node_view.h"
#include "passes/analysis/conv_numbers.h"
#include "passes/quantization/layers/constant_weights.h"
#include "passes/quantization/layers/int8_form.h"
#include "passes/quantization/layers/layer_site.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

absl::StatusOr<int64_t> GroupsOf(const Node& node) {
  if (InputNamed(node, "groups") == nullptr) {
    return 1;
  }
  return ConvNumbers(node, 1).Number("groups");
}

}  // namespace

at::Tensor HasRange(const at::Tensor& ranges) {
  constexpr double kLeastPart = 0x1p-16;
  return ranges > ranges.max() * kLeastPart;
}

bool IsScalableLayer(const Node& node) { return PackedWeightInput(node) >= 0; }

absl::StatusOr<at::Tensor> ScalableConstant(const Node& node,
                                            absl::string_view name,
                                            absl::string_view what) {
  NS_ASSIGN_OR_RETURN(at::Tensor tensor,
                      ConstantTensor(*InputNamed(node, name), what));
  if (!tensor.defined()) {
    return tensor;
  }
  if (tensor.scalar_type() != at::kFloat &&
      tensor.scalar_type() != at::kDouble) {
    return Refusal(absl::StrCat(what, " is of type ",
                                c10::toString(tensor.scalar_type())));
  }
  if (tensor.layout() != at::kStrided) {
    return Refusal(absl::StrCat(what, " is not dense"));
  }
  if (!tensor.isfinite().all().item<bool>()) {
    return Refusal(absl::StrCat(what, " has values that are not finite"));
  }
  return tensor;
}

void SetConstantInput(Node& node, size_t index, const at::Tensor& tensor) {
  Value* old = node.input(index);
  if (old->uses().size() == 1 && old->node()->hasAttribute(c10::attr::value) &&
      old->node()->kindOf(c10::attr::value) == torch::jit::AttributeKind::t) {
    old->node()->t_(c10::attr::value, tensor);
    return;
  }
  const torch::jit::WithInsertPoint in_front(&node);
  Value* constant = node.owningGraph()->insertConstant(tensor);
  constant->node()->copyMetadata(&node);
  if (old->hasDebugName()) {
    constant->setDebugName(old->debugNameBase());
  }
  node.replaceInput(index, constant);
  if (!old->hasUses() && old->node()->kind() == c10::prim::Constant) {
    old->node()->destroy();
  }
}

absl::StatusOr<ScaledLayer> ScaledLayer::Make(Node& node) {
  ScaledLayer layer;
  layer.node_ = &node;
  NS_ASSIGN_OR_RETURN(layer.weight_,
                      ScalableConstant(node, "weight", "its weight"));
  NS_ASSIGN_OR_RETURN(layer.bias_, ScalableConstant(node, "bias", "its bias"));
  NS_ASSIGN_OR_RETURN(layer.groups_, GroupsOf(node));
  NS_ASSIGN_OR_RETURN(layer.is_transposed_, IsTransposed(node));
  const at::Tensor& weight = layer.weight_;
  const int64_t groups = layer.groups_;
  const bool is_linear = node.kind() == c10::aten::linear;
  if (!weight.defined() || weight.numel() == 0 ||
      (is_linear ? weight.dim() != 2 : weight.dim() < 3) || groups < 1 ||
      weight.size(0) % groups != 0) {
    return Refusal("its weight has no channels to scale");
  }
  if (InputNamed(node, "weight")->uses().size() > 1) {
    return Refusal("its weight is used elsewhere, too");
  }
  at::Tensor ranges =
      weight.reshape({groups, weight.size(0) / groups, weight.size(1), -1})
          .abs()
          .amax(3);
  if (layer.is_transposed_) {
    ranges = ranges.transpose(1, 2);
  }
  layer.ranges_ = ranges.contiguous();
  layer.outputs_ = at::ones({groups * layer.ranges_.size(1)}, at::kDouble);
  layer.inputs_ = at::ones({groups * layer.ranges_.size(2)}, at::kDouble);
  layer.UpdateOutputRanges();
  layer.UpdateInputRanges();
  if (layer.bias_.defined() &&
      (layer.bias_.dim() != 1 || layer.bias_.size(0) != layer.outputs())) {
    return Refusal("its bias does not fit its weight");
  }
  return layer;
}

void ScaledLayer::UpdateOutputRanges() {
  output_ranges_ =
      (ranges_ * inputs_.to(ranges_.scalar_type()).reshape({groups_, 1, -1}))
          .amax(2)
          .flatten()
          .to(at::kDouble);
}

void ScaledLayer::UpdateInputRanges() {
  input_ranges_ =
      (ranges_ / outputs_.to(ranges_.scalar_type()).reshape({groups_, -1, 1}))
          .amax(1)
          .flatten()
          .to(at::kDouble);
}

at::Tensor ScaledLayer::RangesOfInputs() const {
  return input_ranges_ * inputs_;
}

at::Tensor ScaledLayer::RangesOfOutputs() const {
  return output_ranges_ / outputs_;
}

void ScaledLayer::MultiplyInputs(const at::Tensor& factors) {
  inputs_ = inputs_ * factors;
  UpdateOutputRanges();
}

void ScaledLayer::DivideOutputs(const at::Tensor& factors) {
  outputs_ = outputs_ * factors;
  UpdateInputRanges();
}

at::Tensor ScaledLayer::Weight() const {
  at::Tensor factors =
      inputs_.reshape({groups_, 1, -1}) / outputs_.reshape({groups_, -1, 1});
  if (is_transposed_) {
    factors = factors.transpose(1, 2);
  }
  std::vector<int64_t> sizes(weight_.dim(), 1);
  sizes[0] = weight_.size(0);
  sizes[1] = weight_.size(1);
  // A product in float64 is rounded once.
  return (weight_.to(at::kDouble) * factors.reshape(sizes))
      .to(weight_.scalar_type());
}

at::Tensor ScaledLayer::Bias() const {
  return bias_.defined()
             ? (bias_.to(at::kDouble) / outputs_).to(bias_.scalar_type())
             : bias_;
}

bool ScaledLayer::IsScaled() const {
  return !(inputs_.eq(1).all().item<bool>() &&
           outputs_.eq(1).all().item<bool>());
}

absl::Status ScaledLayer::CheckFinite() const {
  const at::Tensor bias = Bias();
  return Weight().isfinite().all().item<bool>() &&
                 (!bias.defined() || bias.isfinite().all().item<bool>())
             ? absl::OkStatus()
             : Refusal("its weight would not be finite");
}

void ScaledLayer::Write() const {
  SetConstantInput(*node_, ArgumentIndex(*node_, "weight"), Weight());
  if (bias_.defined() && !outputs_.eq(1).all().item<bool>()) {
    SetConstantInput(*node_, ArgumentIndex(*node_, "bias"), Bias());
  }
}

absl::StatusOr<ScaledLayer*> ScaledLayers::At(Node& node) {
  if (const auto found = indices_.find(&node); found != indices_.end()) {
    return layers_[found->second].get();
  }
  NS_ASSIGN_OR_RETURN(ScaledLayer made, ScaledLayer::Make(node));
  indices_[&node] = layers_.size();
  layers_.push_back(std::make_unique<ScaledLayer>(std::move(made)));
  return layers_.back().get();
}

absl::Status ScaledLayers::CheckFinite() const {
  for (const std::unique_ptr<ScaledLayer>& layer : layers_) {
    NS_RETURN_IF_ERROR(layer->CheckFinite());
  }
  return absl::OkStatus();
}

void ScaledLayers::Write() const {
  for (const std::unique_ptr<ScaledLayer>& layer : layers_) {
    if (layer->IsScaled()) {
      layer->Write();
    }
  }
}

}  // namespace ns
