#include "passes/analysis/packed_weights.h"

#include <ATen/native/quantized/PackedParams.h>
#include <ATen/native/quantized/cpu/EmbeddingPackedParams.h>
#include <ATen/quantized/Quantizer.h>
#include <torch/csrc/jit/api/object.h>

#include <tuple>

#include "absl/strings/str_cat.h"
#include "ir/base/torch_errors.h"
#include "passes/runtime/fbgemm_ops/fbgemm_conv.h"
#include "passes/runtime/fbgemm_ops/fbgemm_embedding.h"
#include "passes/runtime/fbgemm_ops/fbgemm_linear.h"

namespace ns {
namespace {

// These do what the functions of the header do, but throw c10::Error.

at::Tensor LinearWeight(const c10::IValue& packed) {
  if (HoldsLayer<FbgemmLinear>(packed)) {
    return packed.toCustomClass<FbgemmLinear>()->weight();
  }
  return std::get<0>(packed.toCustomClass<LinearPackedParamsBase>()->unpack());
}

at::Tensor ConvWeight(const c10::IValue& packed, bool is_1d) {
  if (HoldsLayer<FbgemmConv>(packed)) {
    return packed.toCustomClass<FbgemmConv>()->parameters().weight;
  }
  if (packed.toObject()->name() ==
      "__torch__.torch.classes.quantized.Conv3dPackedParamsBase") {
    return std::get<0>(
        packed.toCustomClass<ConvPackedParamsBase<3>>()->unpack());
  }
  at::Tensor weight =
      std::get<0>(packed.toCustomClass<ConvPackedParamsBase<2>>()->unpack());
  return is_1d && weight.dim() == 4 ? weight.squeeze(2) : weight;
}

at::Tensor EmbeddingWeight(const c10::IValue& packed) {
  if (HoldsLayer<FbgemmEmbedding>(packed)) {
    return packed.toCustomClass<FbgemmEmbedding>()->weight();
  }
  at::Tensor weight =
      packed.toCustomClass<EmbeddingPackedParamsBase>()->unpack();
  // The scales and zero points that LibTorch returns are views of the object's
  // memory, and do not keep it alive: copy them.
  at::set_quantizer_(weight,
                     at::make_per_channel_affine_quantizer(
                         weight.q_per_channel_scales().clone(),
                         weight.q_per_channel_zero_points().clone(),
                         weight.q_per_channel_axis(), weight.scalar_type()));
  return weight;
}

std::vector<c10::IValue> CellLinears(const c10::IValue& packed) {
  // No header declares the class, so read its pickled state, which is
  // (type, tensors, doubles, longs, packed linears).
  torch::jit::Object object(packed.toObject());
  const c10::IValue state = object.get_method("__getstate__")({});
  return state.toTupleRef().elements().at(4).toListRef().vec();
}

std::vector<at::Tensor> CellWeights(const c10::IValue& packed) {
  std::vector<at::Tensor> weights;
  for (const c10::IValue& linear : CellLinears(packed)) {
    weights.push_back(LinearWeight(linear));
  }
  return weights;
}

}  // namespace

absl::StatusOr<at::Tensor> PackedLinearWeight(const c10::IValue& packed) {
  return CatchTorchErrors([&] { return LinearWeight(packed); });
}

absl::StatusOr<at::Tensor> PackedConvWeight(const c10::IValue& packed,
                                            bool is_1d) {
  return CatchTorchErrors([&] { return ConvWeight(packed, is_1d); });
}

absl::StatusOr<at::Tensor> PackedEmbeddingWeight(const c10::IValue& packed) {
  return CatchTorchErrors([&] { return EmbeddingWeight(packed); });
}

absl::StatusOr<std::vector<at::Tensor>> PackedCellWeights(
    const c10::IValue& packed) {
  return CatchTorchErrors([&] { return CellWeights(packed); });
}

absl::StatusOr<std::vector<c10::IValue>> PackedCellLinears(
    const c10::IValue& packed) {
  return CatchTorchErrors([&] { return CellLinears(packed); });
}

std::string CellSuffix(size_t cell, bool bidirectional) {
  const size_t directions = bidirectional ? 2 : 1;
  return absl::StrCat("_l", cell / directions,
                      cell % directions == 1 ? "_reverse" : "");
}

}  // namespace ns
