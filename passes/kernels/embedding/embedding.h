// Reads rows of quantized tables, and sums of rows, as floats.
#ifndef PASSES_KERNELS_EMBEDDING_EMBEDDING_H_
#define PASSES_KERNELS_EMBEDDING_EMBEDDING_H_

#include <cstdint>
#include <optional>

#include "passes/kernels/parallel.h"

namespace ns::kernels {

// A table of fbgemm's fused rows. Those of 8 bits have `columns` quantized
// values, then scale and bias as floats. Those of 4 bits have two quantized
// values to a byte, the first in the lower half (an odd last byte's upper half
// is not read), then scale and bias as fp16. A real value is scale * quantized
// value + bias. Nothing is aligned.
struct EmbeddingTable {
  const uint8_t* data = nullptr;
  int64_t rows = 0;
  int64_t columns = 0;
  int bits = 8;  // or 4
};

// Bytes of a row.
int64_t EmbeddingRowBytes(int bits, int64_t columns);

// The first wrong offset or, where all offsets are good, the first wrong index.
// An index of a bag is wrong when it is outside the table. An offset is wrong
// when it is less than the one before (the first one: less than 0), or greater
// than the number of indices.
struct EmbeddingError {
  enum class Kind { kIndex, kOffset };
  Kind kind;
  int64_t position;  // in `indices` or `offsets`
};

// Bag i sums the rows indices[offsets[i]], ..., up to and without offsets[i+1].
// With include_last_offset, the last offset ends the last bag, and begins none;
// without, the end of the indices does. Indices before the first offset belong
// to no bag.
template <typename Index>
struct EmbeddingBags {
  const Index* indices = nullptr;
  int64_t index_count = 0;
  const Index* offsets = nullptr;
  int64_t offset_count = 0;
  bool include_last_offset = false;
  // One for each index, or null.
  const float* weights = nullptr;
};

// How many, that is rows of output.
template <typename Index>
int64_t BagCount(const EmbeddingBags<Index>& bags) {
  return bags.include_last_offset && bags.offset_count > 0
             ? bags.offset_count - 1
             : bags.offset_count;
}

// Dense [BagCount][columns]. For each index, in order, from zero:
//
//   out = fma(weight * scale, q, out + weight * bias)
//
// with one rounding for the fma, as fbgemm's generated code does. Without
// weights, the weight is 1. fbgemm's reference, and LibTorch built without
// fbgemm, compute the fma in double and round again; results differ only where
// the two terms are of very different sizes. On an error, nothing outside the
// table is read, and what `out` holds is unspecified. Index is int32_t or
// int64_t.
template <typename Index>
std::optional<EmbeddingError> EmbeddingBag(const EmbeddingTable& table,
                                           const EmbeddingBags<Index>& bags,
                                           float* out, Parallel parallel);

// Dense [count][columns]: bags of one index each, without weights.
template <typename Index>
std::optional<EmbeddingError> Embedding(const EmbeddingTable& table,
                                        const Index* indices, int64_t count,
                                        float* out, Parallel parallel);

// The references: one index after the other.
template <typename Index>
std::optional<EmbeddingError> EmbeddingBagReference(
    const EmbeddingTable& table, const EmbeddingBags<Index>& bags, float* out);

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_EMBEDDING_EMBEDDING_H_
