#include "passes/kernels/embedding/embedding.h"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <vector>

#include "passes/kernels/embedding/embedding_kernels.h"
#include "passes/kernels/isa.h"

namespace ns::kernels {
namespace {

constexpr IsaTable<const EmbeddingKernels<int32_t>*> kKernels32 = {
    {Isa::kAvx2, &kAvx2Embedding32},
    {Isa::kAvx512, &kAvx512Embedding32},
};
constexpr IsaTable<const EmbeddingKernels<int64_t>*> kKernels64 = {
    {Isa::kAvx2, &kAvx2Embedding64},
    {Isa::kAvx512, &kAvx512Embedding64},
};

// Null for the reference.
template <typename Index>
const EmbeddingKernels<Index>* ChosenKernels() {
  if constexpr (sizeof(Index) == sizeof(int32_t)) {
    return kKernels32.Chosen();
  } else {
    return kKernels64.Chosen();
  }
}

// The first position of `offsets` that is wrong, or -1.
template <typename Index>
int64_t WrongOffset(const EmbeddingBags<Index>& bags) {
  Index last = 0;
  for (int64_t i = 0; i < bags.offset_count; ++i) {
    if (bags.offsets[i] < last || bags.offsets[i] > bags.index_count) {
      return i;
    }
    last = bags.offsets[i];
  }
  return -1;
}

// Bags of `begins`, or, without, of one index each; `end` is that of the last.
template <typename Index>
std::optional<EmbeddingError> SumAll(const EmbeddingTable& table,
                                     const Index* indices, const float* weights,
                                     const Index* begins, int64_t end,
                                     int64_t count, float* out,
                                     Parallel parallel) {
  const EmbeddingKernels<Index>& kernels = *ChosenKernels<Index>();
  const auto sum_bags =
      table.bits == 8 ? kernels.sum_bytes : kernels.sum_nibbles;
  const int64_t row_bytes = EmbeddingRowBytes(table.bits, table.columns);
  const auto begin_of = [&](int64_t bag) {
    return bag == count        ? end
           : begins == nullptr ? bag
                               : static_cast<int64_t>(begins[bag]);
  };
  std::atomic<int64_t> first_wrong = end;
  // Waking a thread is worth some 64 KB of rows.
  const int64_t bytes = std::max<int64_t>(end * row_bytes, 1);
  const int64_t grain = std::max<int64_t>((count << 16) / bytes, 1);
  parallel(count, grain, [&](int64_t first, int64_t last) {
    const BagRange<Index> range = {table.data,
                                   table.rows,
                                   row_bytes,
                                   table.columns,
                                   indices,
                                   weights,
                                   begins == nullptr ? nullptr : begins + first,
                                   begin_of(first),
                                   begin_of(last),
                                   last - first,
                                   out + first * table.columns};
    const int64_t wrong = sum_bags(range);
    int64_t known = first_wrong.load();
    while (wrong >= 0 && wrong < known &&
           !first_wrong.compare_exchange_weak(known, wrong)) {
    }
  });
  if (first_wrong < end) {
    return EmbeddingError{EmbeddingError::Kind::kIndex, first_wrong};
  }
  return std::nullopt;
}

}  // namespace

int64_t EmbeddingRowBytes(int bits, int64_t columns) {
  return bits == 8 ? columns + 8 : (columns + 1) / 2 + 4;
}

template <typename Index>
std::optional<EmbeddingError> EmbeddingBag(const EmbeddingTable& table,
                                           const EmbeddingBags<Index>& bags,
                                           float* out, Parallel parallel) {
  if (ChosenKernels<Index>() == nullptr || table.columns == 0) {
    return EmbeddingBagReference(table, bags, out);
  }
  const int64_t wrong = WrongOffset(bags);
  if (wrong >= 0) {
    return EmbeddingError{EmbeddingError::Kind::kOffset, wrong};
  }
  const int64_t count = BagCount(bags);
  const int64_t end = count < bags.offset_count
                          ? static_cast<int64_t>(bags.offsets[count])
                          : bags.index_count;
  return SumAll(table, bags.indices, bags.weights, bags.offsets, end, count,
                out, parallel);
}

template <typename Index>
std::optional<EmbeddingError> Embedding(const EmbeddingTable& table,
                                        const Index* indices, int64_t count,
                                        float* out, Parallel parallel) {
  if (ChosenKernels<Index>() != nullptr && table.columns > 0) {
    return SumAll<Index>(table, indices, nullptr, nullptr, count, count, out,
                         parallel);
  }
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
