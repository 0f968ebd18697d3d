#include "passes/analysis/packed_layers.h"

#include <ATen/native/quantized/PackedParams.h>
#include <torch/custom_class.h>

#include <tuple>
#include <vector>

#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "passes/analysis/packed_weights.h"
#include "passes/runtime/dtype_casts.h"
#include "passes/runtime/fbgemm_ops/fbgemm_conv.h"
#include "passes/runtime/fbgemm_ops/fbgemm_linear.h"

namespace ns {
namespace {

// Returns `bias` without gradients: the parameter that was packed may require
// them, which constants of graphs cannot.
at::Tensor Bias(const c10::optional<at::Tensor>& bias) {
  return bias && bias->defined() ? bias->detach() : at::Tensor();
}

at::Tensor Dequantized(const at::Tensor& weight) {
  return AsFloat(weight).detach();
}

template <int kDimensions>
ConvLayer Unpack(const c10::IValue& packed) {
  const auto params = packed.toCustomClass<ConvPackedParamsBase<kDimensions>>();
  ConvLayer layer;
  layer.bias = Bias(std::get<1>(params->unpack()));
  layer.stride = params->stride().vec();
  layer.padding = params->padding().vec();
  layer.output_padding = params->output_padding().vec();
  layer.dilation = params->dilation().vec();
  layer.groups = params->groups();
  return layer;
}

ConvLayer LayerOf(const FbgemmConvParameters& p) {
  ConvLayer layer;
  layer.weight = Dequantized(p.weight);
  layer.bias = p.bias;
  layer.stride = p.stride;
  layer.padding = p.padding;
  layer.output_padding = p.output_padding;
  layer.dilation = p.dilation;
  layer.groups = p.groups;
  return layer;
}

// Drops the first of two numbers, the one for the height.
void KeepWidth(std::vector<int64_t>& numbers) {
  if (numbers.size() == 2) {
    numbers.erase(numbers.begin());
  }
}

ConvLayer LayerOf(const c10::IValue& packed, const at::Tensor& weight,
                  bool is_1d) {
  if (HoldsLayer<FbgemmConv>(packed)) {
    return LayerOf(packed.toCustomClass<FbgemmConv>()->parameters());
  }
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

}  // namespace

absl::StatusOr<LinearLayer> UnpackLinear(const c10::IValue& packed) {
  return CatchTorchErrors([&]() -> LinearLayer {
    if (HoldsLayer<FbgemmLinear>(packed)) {
      const auto layer = packed.toCustomClass<FbgemmLinear>();
      return {Dequantized(layer->weight()), layer->bias()};
    }
    const auto params = packed.toCustomClass<LinearPackedParamsBase>();
    const auto [weight, bias] = params->unpack();
    return {Dequantized(weight), Bias(bias)};
  });
}

absl::StatusOr<ConvLayer> UnpackConv(const c10::IValue& packed, bool is_1d) {
  NS_ASSIGN_OR_RETURN(const at::Tensor weight, PackedConvWeight(packed, is_1d));
  return CatchTorchErrors([&] { return LayerOf(packed, weight, is_1d); });
}

}  // namespace ns
