// Says by which numbers a quantized bag of embeddings multiplies its rows.
#ifndef PASSES_REWRITE_BAG_WEIGHTS_H_
#define PASSES_REWRITE_BAG_WEIGHTS_H_

#include <cstdint>

#include "absl/status/statusor.h"

namespace torch::jit {
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// LibTorch's quantized kernels of aten::embedding_bag add up rows, each times a
// number, whatever the mode and the padding row are. Inserts, at the insertion
// point, the ops that compute these numbers for `node`, an aten::embedding_bag
// whose table has `rows` rows: 1 divided by the rows of the bag when it takes
// the mean, and 0 for the padding row.
//
//   %n = aten::numel(%indices)                           # mean, no padding
//   %ends = aten::constant_pad_nd(%offsets, [0, 1], %n)
//   %counts = aten::diff(%ends)
//   %shares = aten::reciprocal(%counts)
//   %weights = aten::repeat_interleave(%shares, %counts)
//
// Returns the per_sample_weights of the quantized op: of a sum without padding,
// those of `node`. Error: a refusal (ir/refusal.h) for a mode that is not
// constant or takes the maximum, and for a padding row that is not constant.
// What was inserted before an error stays in the graph: InsertOrTakeBack
// (ir/insert_op.h) removes it.
absl::StatusOr<torch::jit::Value*> InsertBagWeights(
    const torch::jit::Node& node, int64_t rows);

// Returns the refusal of InsertBagWeights, and inserts nothing.
absl::Status CheckBagWeights(const torch::jit::Node& node);

}  // namespace ns

#endif  // PASSES_REWRITE_BAG_WEIGHTS_H_
