// Layers of reference models whose output is not quantized.
#ifndef PASSES_LOWERING_FOLD_DYNAMIC_LAYERS_H_
#define PASSES_LOWERING_FOLD_DYNAMIC_LAYERS_H_

#include <optional>

#include "absl/status/statusor.h"

namespace torch::jit {
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// Where a dynamic layer takes its input from.
struct DynamicInput {
  // The float tensor.
  torch::jit::Value* tensor;
  // Whether it is quantized to 7 bits, a bool.
  torch::jit::Value* reduce_range;
};

// What `input` is made of when it is dequantized from codes with the parameters
// of the moment, in either of LibTorch's ways of writing that:
//
//   %codes = aten::quantize_per_tensor_dynamic(%x, %dtype, %reduce_range)
//
//   %scale, %zero_point = aten::_choose_qparams_per_tensor(%x, %reduce_range)
//   %codes = aten::quantize_per_tensor(%x, %scale, %zero_point, %dtype)
std::optional<DynamicInput> DynamicInputOf(const torch::jit::Value& input);

// Inserts, in front of `node`, an aten::linear, its dynamic form on `input`:
//
//   %y = quantized::linear_dynamic(%x, %packed, %reduce_range)
//
// Error: a refusal (ir/refusal.h), or an op that does not take the arguments.
// What was inserted stays then: FoldEditor::TryInsert takes it back.
absl::StatusOr<torch::jit::Value*> InsertDynamicLinear(
    torch::jit::Node* node, const DynamicInput& input);

// Inserts, in front of `node`, an aten::embedding or aten::embedding_bag, the
// op that looks its rows up in codes:
//
//   %y = quantized::embedding_byte(%packed, %indices, %pruned)
//
// Errors as above.
absl::StatusOr<torch::jit::Value*> InsertPackedEmbedding(
    torch::jit::Node* node);

}  // namespace ns

#endif  // PASSES_LOWERING_FOLD_DYNAMIC_LAYERS_H_
