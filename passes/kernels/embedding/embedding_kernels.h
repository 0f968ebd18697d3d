// Declares the inner loops of embedding bags, over consecutive bags of one
// table.
#ifndef PASSES_KERNELS_EMBEDDING_EMBEDDING_KERNELS_H_
#define PASSES_KERNELS_EMBEDDING_EMBEDDING_KERNELS_H_

#include <cstdint>

namespace ns::kernels {

// `count` bags, with positions in one array of indices: bag i has those from
// begins[i] up to begins[i + 1], the last bag up to `end`, which is no part of
// it. Without begins, bag i has position `begin` + i alone, and `end` is
// `begin` + `count`. Kernels check the indices, and nothing else: begins must
// not fall, positions must lie in `indices`, and there is at least one column.
template <typename Index>
struct BagRange {
  // As EmbeddingTable::data (embedding.h) has them.
  const uint8_t* rows;
  int64_t row_count;
  int64_t row_bytes;
  int64_t columns;
  const Index* indices;
  const float* weights;  // for each position, or null
  const Index* begins;
  int64_t begin;
  int64_t end;
  int64_t count;
  float* out;  // [count][columns]
};

// The inner loops of EmbeddingBag (embedding.h) in one instruction set, for
// tables of 8 and of 4 bits and indices of type `Index`, int32_t or int64_t.
// Each returns the position of the first index outside the table, where it
// stops, or -1.
template <typename Index>
struct EmbeddingKernels {
  int64_t (*sum_bytes)(const BagRange<Index>& bags);
  int64_t (*sum_nibbles)(const BagRange<Index>& bags);
};

extern const EmbeddingKernels<int32_t> kAvx2Embedding32;
extern const EmbeddingKernels<int64_t> kAvx2Embedding64;
extern const EmbeddingKernels<int32_t> kAvx512Embedding32;
extern const EmbeddingKernels<int64_t> kAvx512Embedding64;

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_EMBEDDING_EMBEDDING_KERNELS_H_
