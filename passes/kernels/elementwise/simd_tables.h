// Looks up bytes in a table of 256, for instruction sets that have no
// instruction for indices of 8 bits.
#ifndef PASSES_KERNELS_ELEMENTWISE_SIMD_TABLES_H_
#define PASSES_KERNELS_ELEMENTWISE_SIMD_TABLES_H_

#include <cstdint>

#include "passes/kernels/elementwise/kernels.h"
#include "passes/kernels/simd/blocks.h"

namespace ns::kernels {

// The table in 16 parts of 16 bytes. A shuffle gives 0 for a negative index,
// and takes the index modulo 16 else: with `quantized - 16 * part` as its
// index, all parts up to the quantized value's own give something, and those
// above nothing. So each part but the first is stored as what turns the one
// before into it (their exclusive or), and all are taken together. A quantized
// value of 128 and more is negative from the start, and stays so, as
// differences saturate: it meets the last eight parts, less 128, and quantized
// values below 128 do not.
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
