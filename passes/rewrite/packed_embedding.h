// Inserts the quantized op that takes the place of an aten::embedding or an
// aten::embedding_bag.
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

// Returns OK if a quantized op can compute `node`, an aten::embedding or
// aten::embedding_bag. Its table is not looked at. Otherwise returns a refusal
// (ir/base/refusal.h): more than the first output of an embedding_bag is used,
// CheckBagWeights (bag_weights.h) refuses it, or the type of the indices has a
// rank other than 1 and 2.
absl::Status CheckPackedEmbedding(const torch::jit::Node& node);

// Inserts the quantized op that computes `node` at the insertion point of its
// graph, and returns the output. `node` stays. `table` is its table, quantized
// to quint8 or quint4x2, and `packed` the value in the graph that holds what
// PrepackEmbedding (prepack.h) has made of `table`.
//
//   %i = aten::contiguous(%indices, 0)
//   %y = quantized::embedding_byte(%packed, %i, %pruned)
//
// Indices and offsets are made contiguous: the kernels take no others. When the
// model runs, there must be one index at least: without, LibTorch's
// embedding_byte and embedding_4bit crash.
//
// Error: that of CheckPackedEmbedding, which need not be called before, or of
// an op that does not take the arguments. What was inserted before the error
// stays in the graph: call this by InsertOrTakeBack (ir/graph/insert_op.h),
// which removes it.
absl::StatusOr<torch::jit::Value*> InsertPackedEmbedding(
    const torch::jit::Node& node, const at::Tensor& table,
    torch::jit::Value& packed);

}  // namespace ns

#endif  // PASSES_REWRITE_PACKED_EMBEDDING_H_
