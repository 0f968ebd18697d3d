// The loops over bags and rows that the embedding kernels of all instruction
// sets share: SumBags is a kernel, given a class that adds up some columns.
//
// Such a class, `Block<n>`, sums up to kColumns columns of one bag, in n
// vectors or pairs of vectors. It has
//
//   * kColumns, which grows with n;
//   * a constructor of the first column and of how many there are;
//   * Row::Read, which gives scale and bias of the row that ends where it is
//     told;
//   * Add(row, scale_bias), which adds a row. It may load scale and bias with
//     the last columns, and nothing behind the row;
//   * Store(out), which writes the sums to their columns of `out`, a row.
//
// Everything is in an unnamed namespace, so that each source that includes this
// compiles it for its own instruction set.
#ifndef PASSES_KERNELS_EMBEDDING_BAG_LOOP_H_
#define PASSES_KERNELS_EMBEDDING_BAG_LOOP_H_

#include <immintrin.h>

#include <cstdint>
#include <cstring>

#include "passes/kernels/embedding/embedding_kernels.h"
#include "passes/kernels/unroll.h"

namespace ns::kernels {
namespace {

struct ScaleBias {
  float scale;
  float bias;
};

// Scale and bias stand at the end of a row of 8-bit values. Two loads: each is
// broadcast on its way.
struct ByteRow {
  static ScaleBias Read(const uint8_t* end) {
    ScaleBias read;
    memcpy(&read.scale, end - 8, sizeof(float));
    memcpy(&read.bias, end - 4, sizeof(float));
    return read;
  }
};

// Adds the real values of quantized ones to `sum`, rounded as in
// embedding_reference.cc. `V` is a class of passes/kernels/simd.
template <typename V>
typename V::Floats AddValues(typename V::Floats sum,
                             typename V::Floats quantized,
                             typename V::Floats scale,
                             typename V::Floats bias) {
  return V::MultiplyAdd(scale, quantized, V::Add(sum, bias));
}
template <typename V>
typename V::Floats AddBytes(typename V::Floats sum, typename V::Ints quantized,
                            typename V::Floats scale, typename V::Floats bias) {
  return AddValues<V>(sum, V::ToFloats(quantized), scale, bias);
}

// Prefetches a row, which need not exist. The same number of lines is fetched
// for each row, however it lies in lines of 64 bytes: a branch that depends on
// that is predicted wrong too often.
template <typename Index>
void PrefetchRow(const BagRange<Index>& bags, Index index) {
  const auto row_bytes = static_cast<uintptr_t>(bags.row_bytes);
  const uintptr_t row = reinterpret_cast<uintptr_t>(bags.rows) +
                        static_cast<uintptr_t>(index) * row_bytes;
  const uintptr_t last = row + row_bytes - 1;
  NS_NO_UNROLL
  for (uintptr_t line = row; line < last; line += 64) {
    _mm_prefetch(reinterpret_cast<const char*>(line), _MM_HINT_T0);
  }
  _mm_prefetch(reinterpret_cast<const char*>(last), _MM_HINT_T0);
}

// Adds the rows of positions [begin, end) to a block of columns of one bag, and
// stores it. The first block checks indices, and prefetches, for the others.
template <typename Block, bool kFirst, bool kWeighted, typename Index>
int64_t SumBlock(const BagRange<Index>& bags, int64_t begin, int64_t end,
                 int64_t column, int64_t columns, float* out) {
  // Prefetches so many positions ahead.
  constexpr int64_t kDistance = 16;
  const int64_t row_bytes = bags.row_bytes;
  const auto row_count = static_cast<uint64_t>(bags.row_count);
  Block block(column, columns);
  for (int64_t position = begin; position < end; ++position) {
    const auto index = static_cast<uint64_t>(bags.indices[position]);
    if (kFirst) {
      if (index >= row_count) {
        return position;
      }
      if (position + kDistance < bags.end) {
        PrefetchRow(bags, bags.indices[position + kDistance]);
      }
    }
    const uint8_t* row = bags.rows + static_cast<int64_t>(index) * row_bytes;
    ScaleBias read = Block::Row::Read(row + row_bytes);
    if (kWeighted) {
      read.scale *= bags.weights[position];
      read.bias *= bags.weights[position];
    }
    block.Add(row, read);
  }
  block.Store(out);
  return -1;
}

// Adds up all bags: blocks of the most units while there are more columns, then
// one of kUnits.
template <template <int> class Block, int kMost, int kUnits, bool kWeighted,
          typename Index>
int64_t SumBagsOf(const BagRange<Index>& bags) {
  using Full = Block<kMost>;
  using Last = Block<kUnits>;
  const int64_t columns = bags.columns;
  float* out = bags.out;
  for (int64_t i = 0; i < bags.count; ++i, out += columns) {
    int64_t begin = bags.begin + i;
    int64_t end = begin + 1;
    if (bags.begins != nullptr) {
      begin = static_cast<int64_t>(bags.begins[i]);
      end = i + 1 < bags.count ? static_cast<int64_t>(bags.begins[i + 1])
                               : bags.end;
    }
    int64_t wrong = -1;
    if (columns <= Last::kColumns) {
      wrong =
          SumBlock<Last, true, kWeighted>(bags, begin, end, 0, columns, out);
    } else {
      wrong = SumBlock<Full, true, kWeighted>(bags, begin, end, 0,
                                              Full::kColumns, out);
      int64_t column = Full::kColumns;
      for (; wrong < 0 && columns - column > Last::kColumns;
           column += Full::kColumns) {
        SumBlock<Full, false, kWeighted>(bags, begin, end, column,
                                         Full::kColumns, out);
      }
      if (wrong < 0) {
        SumBlock<Last, false, kWeighted>(bags, begin, end, column,
                                         columns - column, out);
      }
    }
    if (wrong >= 0) {
      return wrong;
    }
  }
  return -1;
}

// Adds up all bags, with kMost as the n of most blocks; kUnits is that of the
// last one, which is found here. Returns the position of the first index
// outside the table, or -1; bags in front of its bag are then stored. Nothing
// else of `bags` is checked.
template <template <int> class Block, int kMost, int kUnits = kMost,
          typename Index>
int64_t SumBags(const BagRange<Index>& bags) {
  constexpr int64_t kColumns = Block<kMost>::kColumns;
  const int64_t last = (bags.columns - 1) % kColumns + 1;
  if constexpr (kUnits > 1) {
    if (last <= Block<kUnits - 1>::kColumns) {
      return SumBags<Block, kMost, kUnits - 1>(bags);
    }
  }
  return bags.weights == nullptr ? SumBagsOf<Block, kMost, kUnits, false>(bags)
                                 : SumBagsOf<Block, kMost, kUnits, true>(bags);
}

}  // namespace
}  // namespace ns::kernels

#endif  // PASSES_KERNELS_EMBEDDING_BAG_LOOP_H_
