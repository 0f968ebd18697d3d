// The weights inside the objects that LibTorch, or lowering, packs them into.
//
// Weights are as stored, quantized for int8 objects, and shaped as the float
// op's. Error: an object of another class, or one that cannot be unpacked. The
// message does not say which: callers know the op or the module.
#ifndef PASSES_ANALYSIS_PACKED_WEIGHTS_H_
#define PASSES_ANALYSIS_PACKED_WEIGHTS_H_

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <torch/custom_class.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace ns {

// True for an object of the TorchScript class `Layer`.
template <typename Layer>
bool HoldsLayer(const c10::IValue& packed) {
  return packed.isObject() &&
         packed.type()->isSubtypeOf(
             *c10::getCustomClassType<c10::intrusive_ptr<Layer>>());
}

// Of a quantized.LinearPackedParamsBase, int8 or fp16, or an ns.FbgemmLinear.
absl::StatusOr<at::Tensor> PackedLinearWeight(const c10::IValue& packed);

// Of a quantized.Conv2dPackedParamsBase or Conv3dPackedParamsBase, transposed
// or not, or an ns.FbgemmConv. LibTorch packs a conv1d as a conv2d of height 1.
absl::StatusOr<at::Tensor> PackedConvWeight(const c10::IValue& packed,
                                            bool is_1d);

// Of a quantized.EmbeddingPackedParamsBase or an ns.FbgemmEmbedding.
absl::StatusOr<at::Tensor> PackedEmbeddingWeight(const c10::IValue& packed);

// Of a rnn.CellParamsBase, what a quantized LSTM or GRU has for each layer and
// direction: [w_ih, w_hh].
absl::StatusOr<std::vector<at::Tensor>> PackedCellWeights(
    const c10::IValue& packed);

// What torch.nn puts behind the names of a recurrent layer's parameters:
// "_l1_reverse" for the fourth of a bidirectional layer's cells.
std::string CellSuffix(size_t cell, bool bidirectional);

}  // namespace ns

#endif  // PASSES_ANALYSIS_PACKED_WEIGHTS_H_
