#include "passes/quantization/rescale/smoothed_source.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/ir/ir.h>

#include <utility>

#include "ir/base/refusal.h"
#include "ir/base/status.h"
#include "ir/graph/node_view.h"
#include "passes/analysis/conv_numbers.h"
#include "passes/quantization/layers/layer_site.h"

namespace ns {

using ::torch::jit::Node;

absl::StatusOr<SmoothedSource> SmoothedSource::OfNorm(Node& norm) {
  SmoothedSource source;
  source.norm_ = &norm;
  NS_ASSIGN_OR_RETURN(source.weight_,
                      ScalableConstant(norm, "weight", "its weight"));
  NS_ASSIGN_OR_RETURN(source.bias_, ScalableConstant(norm, "bias", "its bias"));
  const auto shape = EvaluatedConstant(*InputNamed(norm, "normalized_shape"));
  if (!shape || !shape->isIntList() || shape->toIntVector().empty()) {
    return NotConstant("normalized_shape");
  }
  const std::vector<int64_t> sizes = shape->toIntVector();
  if (!source.weight_.defined()) {
    source.weight_ =
        at::ones(sizes, source.bias_.defined() ? source.bias_.scalar_type()
                                               : at::kFloat);
  }
  if (source.weight_.sizes() != at::IntArrayRef(sizes) ||
      source.weight_.numel() == 0 ||
      (source.bias_.defined() &&
       source.bias_.sizes() != at::IntArrayRef(sizes))) {
    return Refusal("its parameters do not fit its shape");
  }
  return source;
}

SmoothedSource SmoothedSource::OfLinear(ScaledLayer& layer) {
  SmoothedSource source;
  source.linear_ = &layer;
  return source;
}

int64_t SmoothedSource::channels() const {
  return linear_ != nullptr ? linear_->outputs() : weight_.size(-1);
}

at::Tensor SmoothedSource::Estimate() const {
  if (linear_ != nullptr) {
    return {};
  }
  constexpr double kDeviations = 4;
  at::Tensor largest = kDeviations * weight_.abs();
  if (bias_.defined()) {
    largest = largest + bias_.abs();
  }
  return largest.reshape({-1, channels()}).amax(0).to(at::kDouble);
}

void SmoothedSource::MatchDtype(at::ScalarType dtype) {
  if (norm_ != nullptr && InputNamed(*norm_, "weight")->mustBeNone() &&
      !bias_.defined()) {
    weight_ = weight_.to(dtype);
  }
}

absl::Status SmoothedSource::Divide(const at::Tensor& factors) {
  if (linear_ != nullptr) {
    divided_ = *linear_;
    divided_->DivideOutputs(factors);
    return divided_->CheckFinite();
  }
  const auto divided = [&](const at::Tensor& tensor) {
    return (tensor.to(at::kDouble) / factors).to(tensor.scalar_type());
  };
  weight_ = divided(weight_);
  if (bias_.defined()) {
    bias_ = divided(bias_);
  }
  return weight_.isfinite().all().item<bool>() &&
                 (!bias_.defined() || bias_.isfinite().all().item<bool>())
             ? absl::OkStatus()
             : Refusal("its weight would not be finite");
}

void SmoothedSource::Commit() {
  if (divided_) {
    *linear_ = *divided_;
  }
}

void SmoothedSource::CopyNormFor(const std::vector<torch::jit::Use>& uses) {
  Node* copy = norm_->owningGraph()->createClone(
      norm_, [](torch::jit::Value* input) { return input; });
  copy->insertAfter(norm_);
  for (const torch::jit::Use& use : uses) {
    use.user->replaceInput(use.offset, copy->output());
  }
  norm_ = copy;
}

void SmoothedSource::WriteNorm() const {
  if (norm_ == nullptr) {
    return;
  }
  SetConstantInput(*norm_, ArgumentIndex(*norm_, "weight"), weight_);
  if (bias_.defined()) {
    SetConstantInput(*norm_, ArgumentIndex(*norm_, "bias"), bias_);
  }
}

}  // namespace ns
