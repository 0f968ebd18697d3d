// Embeddings of 8 and 4 bits on ns kernels, with fbgemm's results.
#ifndef PASSES_RUNTIME_FBGEMM_OPS_FBGEMM_EMBEDDING_H_
#define PASSES_RUNTIME_FBGEMM_OPS_FBGEMM_EMBEDDING_H_

#include <ATen/core/Tensor.h>
#include <torch/custom_class.h>

#include <cstdint>
#include <vector>

#include "passes/kernels/embedding/embedding.h"

namespace ns {

// Which rows make up a bag.
struct EmbeddingBagInput {
  // int32 or int64; a matrix holds a bag in each row, and has no offsets.
  at::Tensor indices;
  // int32 or int64; where each bag begins.
  at::Tensor offsets;
  // float, one for each index, or undefined.
  at::Tensor weights;
  // The last offset is where the last bag ends. Of a matrix that is, as in
  // LibTorch, where the last row begins: it makes no bag.
  bool include_last_offset = false;
};

// A table of rows with a scale and a zero point each: what takes the place of
// an EmbeddingPackedParamsBase. Registered as torch.classes.ns.FbgemmEmbedding
// with the method weight(). It saves the weight as it was given.
//
// Operators on it:
//
//   ns::fbgemm_embedding(FbgemmEmbedding table, Tensor indices) -> Tensor
//   ns::fbgemm_embedding_bag(FbgemmEmbedding table, Tensor indices,
//       Tensor? offsets, Tensor? per_sample_weights,
//       bool include_last_offset) -> Tensor
class FbgemmEmbedding final : public torch::CustomClassHolder {
 public:
  // `weight` is [rows, columns], quint8 or quint4x2, with a float scale and
  // zero point for each row. Throws c10::Error for others.
  explicit FbgemmEmbedding(at::Tensor weight);

  // float, [sizes of indices, columns]. Throws for an index that is no row.
  at::Tensor Embedding(const at::Tensor& indices) const;

  // The sums of bags: float, [bags, columns]. Throws for an index that is no
  // row, and for offsets that do not fit the indices.
  at::Tensor Bag(const EmbeddingBagInput& input) const;

  const at::Tensor& weight() const { return weight_; }

 private:
  kernels::EmbeddingTable Table() const;

  at::Tensor weight_;
  std::vector<uint8_t> rows_;
};

}  // namespace ns

#endif  // PASSES_RUNTIME_FBGEMM_OPS_FBGEMM_EMBEDDING_H_
