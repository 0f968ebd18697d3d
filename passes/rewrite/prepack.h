// Packs quantized weights as LibTorch's quantized ops take them.
//
// The quantized engine that is set packs, by way of the dispatcher. A packed
// object is saved as the weights that it was made of, and the engine of the
// process that loads it packs them again.
//
// Errors are refusals (ir/base/refusal.h): a weight that is not quantized in
// the way that the ops take, or that the engine cannot pack.
#ifndef PASSES_REWRITE_PREPACK_H_
#define PASSES_REWRITE_PREPACK_H_

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace ns {

// Returns a refusal unless `weight` is quantized as linear layers and
// convolutions take it: to qint8, with one scale, or one for each slice of
// dimension 0.
absl::Status CheckLayerWeight(const at::Tensor& weight);

// Calls the operator quantized::`op`, "conv2d_prepack".
absl::StatusOr<c10::IValue> Prepack(absl::string_view op,
                                    std::vector<c10::IValue> arguments);

// Packs a linear layer, as a quantized.LinearPackedParamsBase. `weight` must
// pass CheckLayerWeight; `bias` is a float tensor, undefined for none.
absl::StatusOr<c10::IValue> PrepackLinear(const at::Tensor& weight,
                                          const at::Tensor& bias);

// The parameters of one layer and direction of an LSTM or a GRU.
struct RecurrentCell {
  // Quantized, see CheckLayerWeight.
  at::Tensor w_ih;
  at::Tensor w_hh;
  // Float tensors.
  at::Tensor b_ih;
  at::Tensor b_hh;
};

// Packs a cell for dynamic quantization, as a rnn.CellParamsBase. With
// `reduce_range`, its activations take 7 bits instead of 8.
absl::StatusOr<c10::IValue> PrepackCell(const RecurrentCell& cell,
                                        bool reduce_range);

// Packs the table of an embedding, as a quantized.EmbeddingPackedParamsBase.
// `table` has a scale and a float zero point for each row, and elements of
// quint8 or quint4x2.
absl::StatusOr<c10::IValue> PrepackEmbedding(const at::Tensor& table);

}  // namespace ns

#endif  // PASSES_REWRITE_PREPACK_H_
