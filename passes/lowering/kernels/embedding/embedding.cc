#include "passes/lowering/kernels/embedding/embedding.h"

#include <numeric>
#include <vector>

namespace ns::kernels {

int64_t EmbeddingRowBytes(int bits, int64_t columns) {
  return bits == 8 ? columns + 8 : (columns + 1) / 2 + 4;
}

template <typename Index>
std::optional<EmbeddingError> EmbeddingBag(const EmbeddingTable& table,
                                           const EmbeddingBags<Index>& bags,
                                           float* out, Parallel /*parallel*/) {
  return EmbeddingBagReference(table, bags, out);
}

template <typename Index>
std::optional<EmbeddingError> Embedding(const EmbeddingTable& table,
                                        const Index* indices, int64_t count,
                                        float* out, Parallel /*parallel*/) {
  std::vector<Index> offsets(count);
  std::iota(offsets.begin(), offsets.end(), 0);
  EmbeddingBags<Index> bags;
  bags.indices = indices;
  bags.index_count = count;
  bags.offsets = offsets.data();
  bags.offset_count = count;
  return EmbeddingBagReference(table, bags, out);
}

template std::optional<EmbeddingError> EmbeddingBag(
    const EmbeddingTable&, const EmbeddingBags<int32_t>&, float*, Parallel);
template std::optional<EmbeddingError> EmbeddingBag(
    const EmbeddingTable&, const EmbeddingBags<int64_t>&, float*, Parallel);
template std::optional<EmbeddingError> Embedding(const EmbeddingTable&,
                                                 const int32_t*, int64_t,
                                                 float*, Parallel);
template std::optional<EmbeddingError> Embedding(const EmbeddingTable&,
                                                 const int64_t*, int64_t,
                                                 float*, Parallel);

}  // namespace ns::kernels
