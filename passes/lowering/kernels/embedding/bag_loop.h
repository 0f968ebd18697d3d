// What the sources of all instruction sets do around their vectors. Everything
// is in an unnamed namespace: each compiles its own.
#ifndef PASSES_LOWERING_KERNELS_EMBEDDING_BAG_LOOP_H_
#define PASSES_LOWERING_KERNELS_EMBEDDING_BAG_LOOP_H_

#include <immintrin.h>
#include <stdint.h>
#include <string.h>

#include "passes/lowering/kernels/embedding/embedding_kernels.h"
#include "passes/lowering/kernels/embedding/half.h"

namespace ns::kernels {
namespace {

struct ScaleBias {
  float scale;
  float bias;
};

// At the end of a row of bytes, or of nibbles.
struct ByteRow {
  static ScaleBias Read(const uint8_t* end) {
    ScaleBias read;
    memcpy(&read, end - sizeof(read), sizeof(read));
    return read;
  }
};
struct NibbleRow {
  static ScaleBias Read(const uint8_t* end) {
    return {HalfToFloat(end - 4), HalfToFloat(end - 2)};
  }
};

template <typename Index>
void PrefetchRow(const BagRange<Index>& bags, int64_t position) {
  // As far ahead as memory is slow. What is prefetched need not exist.
  constexpr int64_t kDistance = 16;
  if (position + kDistance >= bags.end) {
    return;
  }
  const auto row = reinterpret_cast<uintptr_t>(bags.rows) +
                   static_cast<uintptr_t>(bags.indices[position + kDistance]) *
                       static_cast<uintptr_t>(bags.row_bytes);
  const uintptr_t last = row + static_cast<uintptr_t>(bags.row_bytes) - 1;
  for (uintptr_t line = row & ~uintptr_t{63}; line <= last; line += 64) {
    _mm_prefetch(reinterpret_cast<const char*>(line), _MM_HINT_T0);
  }
}

// Adds the rows of positions [begin, end) to a block of columns of one bag, and
// stores it. The first block checks indices, and prefetches, for the others.
template <typename Block, typename Index>
int64_t SumBlock(const BagRange<Index>& bags, int64_t begin, int64_t end,
                 int64_t column, int64_t columns, float* out) {
  Block block(column, columns);
  for (int64_t position = begin; position < end; ++position) {
    const auto index = static_cast<uint64_t>(bags.indices[position]);
    if (column == 0) {
      if (index >= static_cast<uint64_t>(bags.row_count)) {
        return position;
      }
      PrefetchRow(bags, position);
    }
    const uint8_t* row =
        bags.rows + static_cast<int64_t>(index) * bags.row_bytes;
    ScaleBias read = Block::Row::Read(row + bags.row_bytes);
    if (bags.weights != nullptr) {
      read.scale *= bags.weights[position];
      read.bias *= bags.weights[position];
    }
    block.Add(row, read);
  }
  block.Store(out);
  return -1;
}

// All bags: blocks of the most units while there are more columns, then one of
// kUnits.
template <template <int> class Block, int kMost, int kUnits, typename Index>
int64_t SumBagsOf(const BagRange<Index>& bags) {
  constexpr int64_t kColumns = Block<kMost>::kColumns;
  float* out = bags.out;
  for (int64_t i = 0; i < bags.count; ++i, out += bags.columns) {
    int64_t begin = bags.begin + i;
    int64_t end = begin + 1;
    if (bags.begins != nullptr) {
      begin = static_cast<int64_t>(bags.begins[i]);
      end = i + 1 < bags.count ? static_cast<int64_t>(bags.begins[i + 1])
                               : bags.end;
    }
    int64_t column = 0;
    int64_t wrong = -1;
    for (; bags.columns - column > kColumns && wrong < 0; column += kColumns) {
      wrong = SumBlock<Block<kMost>>(bags, begin, end, column, kColumns, out);
    }
    if (wrong < 0) {
      wrong = SumBlock<Block<kUnits>>(bags, begin, end, column,
                                      bags.columns - column, out);
    }
    if (wrong >= 0) {
      return wrong;
    }
  }
  return -1;
}

// Finds the kUnits that the last block of columns takes.
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
  return SumBagsOf<Block, kMost, kUnits>(bags);
}

}  // namespace
}  // namespace ns::kernels

#endif  // PASSES_LOWERING_KERNELS_EMBEDDING_BAG_LOOP_H_
