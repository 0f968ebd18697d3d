// Looks up bytes in a table of 256, for instruction sets that have no
// instruction for indices of 8 bits.
#ifndef PASSES_KERNELS_ELEMENTWISE_SIMD_TABLES_H_
#define PASSES_KERNELS_ELEMENTWISE_SIMD_TABLES_H_

#include <cstdint>

#include "passes/kernels/elementwise/kernels.h"
#include "passes/kernels/simd/blocks.h"

namespace ns::kernels {

// A table of 256 bytes; [] looks up each byte of a vector.
//
// The table is kept in 16 parts of 16 bytes, each for one shuffle. A shuffle
// gives 0 for a negative index, and else takes the index modulo 16. Part p is
// shuffled by `quantized - 16 * p`: of the first eight parts, those up to the
// one that has the answer give a byte, and those above it give 0. So each part
// but part 0 is stored as its exclusive or with the part before, and the
// exclusive or of all results is the answer. Values from 128 on are negative as
// signed bytes, and stay so, since differences saturate: the first eight parts
// give 0 for them. The last eight parts, 8 being their first, work in the same
// way on `quantized - 128`, which is negative for values below 128.
template <typename V>
class ShuffledTable {
 public:
  explicit ShuffledTable(const uint8_t* table) {
    for (int part = 0; part < 16; ++part) {
      parts_[part] = V::SetLanes(table + 16 * part);
    }
    for (int part = 15; part > 0; part -= part == 9 ? 2 : 1) {
      parts_[part] = V::Xor(parts_[part], parts_[part - 1]);
    }
  }

  typename V::Ints operator[](typename V::Ints quantized) const {
    const auto step = V::SetBytes(-16);
    auto low = quantized;
    auto high = V::Xor(quantized, V::SetBytes(-128));
    auto found = V::Xor(V::ShuffleBytes(parts_[0], low),
                        V::ShuffleBytes(parts_[8], high));
    for (int part = 1; part < 8; ++part) {
      low = V::AddSaturatedBytes(low, step);
      high = V::AddSaturatedBytes(high, step);
      found = V::Xor(found, V::Xor(V::ShuffleBytes(parts_[part], low),
                                   V::ShuffleBytes(parts_[part + 8], high)));
    }
    return found;
  }

 private:
  typename V::Ints parts_[16];
};

// ElementwiseKernels::look_up: sets byte i of row r of `out`, whose rows begin
// `out_stride` bytes from each other, to table[byte i of row r of `quantized`].
template <typename V>
void LookUp(ByteRows quantized, const uint8_t* table, uint8_t* out,
            int64_t out_stride) {
  const ShuffledTable<V> shuffled(table);
  for (int64_t row = 0; row < quantized.rows; ++row) {
    const uint8_t* in = quantized.data + row * quantized.stride;
    uint8_t* row_out = out + row * out_stride;
    ForBlocks<V>(quantized.row_bytes, [&](int64_t i, const auto& block) {
      block.StoreBytes(row_out + i, shuffled[block.LoadBytes(in + i)]);
    });
  }
}

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_ELEMENTWISE_SIMD_TABLES_H_
