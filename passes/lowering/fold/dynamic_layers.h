// Replaces the layers of reference models whose output is not quantized:
// dynamically quantized linear layers, and embeddings.
#ifndef PASSES_LOWERING_FOLD_DYNAMIC_LAYERS_H_
#define PASSES_LOWERING_FOLD_DYNAMIC_LAYERS_H_

#include <optional>

#include "absl/status/statusor.h"

namespace torch::jit {
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// The input of a dynamically quantized layer.
struct DynamicInput {
  // The float tensor, before it is quantized.
  torch::jit::Value* tensor;
  // A bool: whether the tensor is quantized to 7 bits instead of 8.
  torch::jit::Value* reduce_range;
};

// Returns the source of `input` when that is quantized with qparams that each
// run chooses, and dequantized again. LibTorch writes this in two ways:
//
//   %q = aten::quantize_per_tensor_dynamic(%x, %dtype, %reduce_range)
//
//   %scale, %zero_point = aten::_choose_qparams_per_tensor(%x, %reduce_range)
//   %q = aten::quantize_per_tensor(%x, %scale, %zero_point, %dtype)
//
// `dtype` is quint8. Nothing when `input` is made in another way.
std::optional<DynamicInput> DynamicInputOf(const torch::jit::Value& input);

// Inserts in front of `node`, an aten::linear, the dynamic linear op that
// computes it from `input`, DynamicInputOf its first input, and returns its
// output. The weight must be dequantized from a constant int8 tensor, and the
// bias be constant; both are packed for the quantized engine that is set. The
// caller puts the output in the place of that of `node`, and sees to it that
// nothing writes to input.tensor between the quantize op and `node`:
//
//   %y = quantized::linear_dynamic(%x, %packed, %reduce_range)
//
// Error: a refusal (ir/base/refusal.h), or the error of an op that does not
// take the arguments. What was inserted before the error stays in the graph:
// FoldEditor::TryInsert removes it.
absl::StatusOr<torch::jit::Value*> InsertDynamicLinear(
    torch::jit::Node* node, const DynamicInput& input);

// Inserts in front of `node`, an aten::embedding or aten::embedding_bag of a
// dequantized table, the op that looks its rows up in a packed quantized one
// (passes/rewrite/packed_embedding.h), and returns its output. LibTorch's op
// crashes when it gets no index at all. The errors are those of
// InsertDynamicLinear.
absl::StatusOr<torch::jit::Value*> InsertReferenceEmbedding(
    torch::jit::Node* node);

}  // namespace ns

#endif  // PASSES_LOWERING_FOLD_DYNAMIC_LAYERS_H_
