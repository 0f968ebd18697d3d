#include "passes/runtime/fbgemm_ops/fbgemm_layer.h"

#include <torch/custom_class.h>

#include "passes/runtime/fbgemm_ops/packed_weight.h"

namespace ns {
namespace {

template <typename Layer>
bool Is(const c10::IValue& value) {
  return value.isObject() &&
         *value.type() == *c10::getCustomClassType<c10::intrusive_ptr<Layer>>();
}

}  // namespace

std::optional<FbgemmLayer> FbgemmLayer::Of(const c10::IValue& value) {
  if (Is<FbgemmConv>(value)) {
    return FbgemmLayer(value.toCustomClass<FbgemmConv>());
  }
  if (Is<FbgemmLinear>(value)) {
    return FbgemmLayer(value.toCustomClass<FbgemmLinear>());
  }
  return std::nullopt;
}

kernels::SaturationMode FbgemmLayer::saturation_mode() const {
  return conv_ ? conv_->saturation_mode() : linear_->saturation_mode();
}

const at::Tensor& FbgemmLayer::weight() const {
  return conv_ ? conv_->parameters().weight : linear_->weight();
}

kernels::ConvShape FbgemmLayer::shape() const {
  if (conv_) {
    return conv_->shape();
  }
  kernels::ConvShape shape;
  shape.out_channels = linear_->weight().size(0);
  shape.in_channels = linear_->weight().size(1);
  return shape;
}

FbgemmLayer FbgemmLayer::With(kernels::SaturationMode mode) const {
  if (conv_) {
    return FbgemmLayer(
        c10::make_intrusive<FbgemmConv>(conv_->parameters(), mode));
  }
  return FbgemmLayer(c10::make_intrusive<FbgemmLinear>(linear_->weight(),
                                                       linear_->bias(), mode));
}

at::Tensor FbgemmLayer::Sums(const at::Tensor& quantized) const {
  OutputQParams sums;
  sums.type = kernels::OutputType::kS32;
  return conv_ ? conv_->Run(quantized, sums) : linear_->Run(quantized, sums);
}

c10::IValue FbgemmLayer::ToIValue() const {
  return conv_ ? c10::IValue(conv_) : c10::IValue(linear_);
}

const void* FbgemmLayer::id() const {
  return conv_ ? static_cast<const void*>(conv_.get()) : linear_.get();
}

}  // namespace ns
