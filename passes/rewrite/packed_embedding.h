// Inserts the quantized ops that look rows up in a packed table.
#ifndef PASSES_REWRITE_PACKED_EMBEDDING_H_
#define PASSES_REWRITE_PACKED_EMBEDDING_H_

#include <ATen/core/Tensor.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace torch::jit {
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// Returns a refusal (ir/refusal.h) when no quantized op computes `node`, an
// aten::embedding or aten::embedding_bag, whatever its table is: more than the
// first output of a bag is used, InsertBagWeights (bag_weights.h) refuses, or
// the indices are known to have another rank than 1 or 2.
absl::Status CheckPackedEmbedding(const torch::jit::Node& node);

// Inserts, at the insertion point, the quantized op that computes `node`, and
// returns its output. `packed` is what PrepackEmbedding (prepack.h) has made of
// `table`.
//
//   %i = aten::contiguous(%indices, 0)
//   %y = quantized::embedding_byte(%packed, %i, %pruned)
//
// The kernels take nothing but contiguous indices and offsets. They need one
// index at least: LibTorch's embedding_byte and embedding_4bit crash without.
//
// Error: that of CheckPackedEmbedding, or of an op that does not take the
// arguments. What was inserted before the error stays in the graph:
// InsertOrTakeBack (ir/insert_op.h) removes it.
absl::StatusOr<torch::jit::Value*> InsertPackedEmbedding(
    const torch::jit::Node& node, const at::Tensor& table,
    torch::jit::Value& packed);

}  // namespace ns

#endif  // PASSES_REWRITE_PACKED_EMBEDDING_H_
