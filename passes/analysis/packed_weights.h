// Unpacks the weights of layers that LibTorch, or lowering, has packed.
//
// Weights are as stored (quantized for int8 objects) and have the shape of the
// float op's weight. Error: an object of another class, or one that cannot be
// unpacked. The message does not name the layer: callers know the op or module.
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

// Returns the weight of a quantized.LinearPackedParamsBase, int8 or fp16, or of
// an ns.FbgemmLinear.
absl::StatusOr<at::Tensor> PackedLinearWeight(const c10::IValue& packed);

// Returns the weight of a quantized.Conv2dPackedParamsBase or
// Conv3dPackedParamsBase, transposed or not, or of an ns.FbgemmConv. LibTorch
// packs a conv1d as a conv2d of height 1: `is_1d` says that it is one.
absl::StatusOr<at::Tensor> PackedConvWeight(const c10::IValue& packed,
                                            bool is_1d);

// Returns the weight of a quantized.EmbeddingPackedParamsBase or of an
// ns.FbgemmEmbedding.
absl::StatusOr<at::Tensor> PackedEmbeddingWeight(const c10::IValue& packed);

// Returns the weights of a rnn.CellParamsBase, [w_ih, w_hh]. A quantized LSTM
// or GRU has one such object for each layer and direction.
absl::StatusOr<std::vector<at::Tensor>> PackedCellWeights(
    const c10::IValue& packed);

// Returns the packed linear layers of such an object, that of the input and
// that of the state.
absl::StatusOr<std::vector<c10::IValue>> PackedCellLinears(
    const c10::IValue& packed);

// Returns the suffix that torch.nn gives the parameters of cell `cell` of a
// recurrent layer, counted from 0: "_l1_reverse" for cell 3 of a bidirectional
// one.
std::string CellSuffix(size_t cell, bool bidirectional);

}  // namespace ns

#endif  // PASSES_ANALYSIS_PACKED_WEIGHTS_H_
