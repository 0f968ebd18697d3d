// Inserts ops that compute the per_sample_weights of a quantized
// aten::embedding_bag.
#ifndef PASSES_REWRITE_BAG_WEIGHTS_H_
#define PASSES_REWRITE_BAG_WEIGHTS_H_

#include <cstdint>

#include "absl/status/statusor.h"

namespace torch::jit {
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// LibTorch's quantized kernels of aten::embedding_bag ignore the mode and the
// padding row: they only add up rows, each multiplied by its weight in
// per_sample_weights. This function inserts ops that compute weights for which
// that sum is what `node` computes. `node` is an aten::embedding_bag whose
// table has `rows` rows. The ops are inserted at the insertion point of its
// graph.
//
// - In the mean mode, a weight is 1 / (number of rows in the bag). Padding rows
//   are not counted.
// - The padding row has the weight 0.
//   %n = aten::numel(%indices)                           # mean, no padding
//   %ends = aten::constant_pad_nd(%offsets, [0, 1], %n)
//   %counts = aten::diff(%ends)
//   %shares = aten::reciprocal(%counts)
//   %weights = aten::repeat_interleave(%shares, %counts)
//
// Returns the value to pass to the quantized op as per_sample_weights. For a
// sum without a padding row, nothing is inserted, and this is the
// per_sample_weights of `node`, which may be None.
//
// Error: a refusal (ir/base/refusal.h) if the mode is not constant or is the
// maximum, or if the padding row is not constant. Ops inserted before an error
// stay in the graph; call this through InsertOrTakeBack (ir/graph/insert_op.h)
// to remove them.
absl::StatusOr<torch::jit::Value*> InsertBagWeights(
    const torch::jit::Node& node, int64_t rows);

// Returns the refusal that InsertBagWeights would return, or OK. Inserts
// nothing.
absl::Status CheckBagWeights(const torch::jit::Node& node);

}  // namespace ns

#endif  // PASSES_REWRITE_BAG_WEIGHTS_H_
