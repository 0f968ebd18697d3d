// Embeddings of 8 and 4 bits that run on the kernels of this library
// (passes/kernels/embedding) and give what fbgemm's give.
#ifndef PASSES_RUNTIME_FBGEMM_OPS_FBGEMM_EMBEDDING_H_
#define PASSES_RUNTIME_FBGEMM_OPS_FBGEMM_EMBEDDING_H_

#include <ATen/core/Tensor.h>
#include <torch/custom_class.h>

#include <cstdint>
#include <vector>

#include "passes/kernels/embedding/embedding.h"

namespace ns {

// Which rows of the table make up each bag, as in torch.embedding_bag.
struct EmbeddingBagInput {
  // int32 or int64. A vector, with `offsets`; or a matrix with a bag in each
  // row, and then `offsets` must be undefined.
  at::Tensor indices;
  // A vector of int32 or int64: where in `indices` each bag begins.
  at::Tensor offsets;
  // float: what each row is multiplied by, one for each index; or undefined.
  at::Tensor weights;
  // When true, the last offset begins no bag but says where the last one ends.
  // Of a matrix, the offsets are the places where its rows begin: as in
  // LibTorch, its last row then makes no bag.
  bool include_last_offset = false;
};

// A table whose rows have a scale and a zero point each. It takes the place of
// LibTorch's EmbeddingPackedParamsBase. Registered as
// torch.classes.ns.FbgemmEmbedding, with the method weight(). It saves and
// loads with its module, as the quantized weight that it was made of.
//
// Operators on it:
//
//   ns::fbgemm_embedding(FbgemmEmbedding table, Tensor indices) -> Tensor
//   ns::fbgemm_embedding_bag(FbgemmEmbedding table, Tensor indices,
//       Tensor? offsets, Tensor? per_sample_weights,
//       bool include_last_offset) -> Tensor
class FbgemmEmbedding final : public torch::CustomClassHolder {
 public:
  // `weight` is [rows, columns], quint8 or quint4x2, of the scheme
  // per_channel_affine_float_qparams with axis 0. Throws c10::Error for any
  // other.
  explicit FbgemmEmbedding(at::Tensor weight);

  // Returns the rows at `indices`, of int32 or int64 and any shape: float,
  // [sizes of indices, columns]. Throws for an index outside of the table.
  at::Tensor Embedding(const at::Tensor& indices) const;

  // Returns the sum of the rows of each bag: float, [bags, columns]. Throws for
  // an index of a bag that is outside of the table, and for offsets that
  // decrease or are beyond the indices.
  at::Tensor Bag(const EmbeddingBagInput& input) const;

  const at::Tensor& weight() const { return weight_; }

 private:
  kernels::EmbeddingTable Table() const;

  at::Tensor weight_;
  std::vector<uint8_t> rows_;
};

}  // namespace ns

#endif  // PASSES_RUNTIME_FBGEMM_OPS_FBGEMM_EMBEDDING_H_
