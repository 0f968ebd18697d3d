#include "passes/extraction/packed_layers.h"

#include <ATen/native/quantized/PackedParams.h>
#include <torch/custom_class.h>

#include <tuple>
#include <vector>

#include "passes/extraction/packed_weights.h"
#include "passes/runtime/dtype_casts.h"

namespace ns {
namespace {

// Constants of graphs cannot require gradients, as the parameters that were
// packed may.
at::Tensor Bias(const c10::optional<at::Tensor>& bias) {
  return bias && bias->defined() ? bias->detach() : at::Tensor();
}

at::Tensor Dequantized(const at::Tensor& weight) {
  return AsFloat(weight).detach();
}

template <int Dimensions>
ConvLayer Unpack(const c10::IValue& packed) {
  const auto params = packed.toCustomClass<ConvPackedParamsBase<Dimensions>>();
  ConvLayer layer;
  layer.bias = Bias(std::get<1>(params->unpack()));
  layer.stride = params->stride().vec();
  layer.padding = params->padding().vec();
  layer.output_padding = params->output_padding().vec();
  layer.dilation = params->dilation().vec();
  layer.groups = params->groups();
  return layer;
}

// Drops the height, the first of two numbers.
void KeepWidth(std::vector<int64_t>& numbers) {
  if (numbers.size() == 2) {
    numbers.erase(numbers.begin());
  }
}

}  // namespace

LinearLayer UnpackLinear(const c10::IValue& packed) {
  const auto params = packed.toCustomClass<LinearPackedParamsBase>();
  const auto [weight, bias] = params->unpack();
  return {Dequantized(weight), Bias(bias)};
}

ConvLayer UnpackConv(const c10::IValue& packed, bool is_1d) {
  const at::Tensor weight = PackedConvWeight(packed, is_1d);
  ConvLayer layer = weight.dim() == 5 ? Unpack<3>(packed) : Unpack<2>(packed);
  layer.weight = Dequantized(weight);
  if (is_1d) {
    KeepWidth(layer.stride);
    KeepWidth(layer.padding);
    KeepWidth(layer.output_padding);
    KeepWidth(layer.dilation);
  }
  return layer;
}

}  // namespace ns
