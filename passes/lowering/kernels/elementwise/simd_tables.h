// Looking up bytes without an instruction that takes indices of 8 bits.
#ifndef PASSES_LOWERING_KERNELS_ELEMENTWISE_SIMD_TABLES_H_
#define PASSES_LOWERING_KERNELS_ELEMENTWISE_SIMD_TABLES_H_

#include <cstdint>

#include "passes/lowering/kernels/elementwise/simd_blocks.h"

namespace ns::kernels {

// The table in 16 parts of 16 bytes. A shuffle gives 0 for a negative index,
// and takes the index modulo 16 else: with `code - 16 * part` as its index, all
// parts up to the code's own give something, and those above nothing. So each
// part but the first is stored as what turns the one before into it (their
// exclusive or), and all are taken together. A code of 128 and more is
// negative from the start, and stays so, as differences saturate: it meets the
// last eight parts, less 128, and codes below 128 do not.
template <typename V>
class ShuffledTable {
 public:
  explicit ShuffledTable(const uint8_t* table) {
    for (int part = 0; part < 16; ++part) {
      uint8_t change[16];
      for (int i = 0; i < 16; ++i) {
        const uint8_t before = part % 8 == 0 ? 0 : table[part * 16 - 16 + i];
        change[i] = static_cast<uint8_t>(table[part * 16 + i] ^ before);
      }
      parts_[part] = V::SetTable(change);
    }
  }

  typename V::Bytes operator[](typename V::Bytes codes) const {
    const auto step = V::SetBytes(-16);
    auto low = codes;
    auto high = V::Xor(codes, V::SetBytes(-128));
    auto found =
        V::Xor(V::Shuffle(parts_[0], low), V::Shuffle(parts_[8], high));
    for (int part = 1; part < 8; ++part) {
      low = V::AddSaturatedBytes(low, step);
      high = V::AddSaturatedBytes(high, step);
      found = V::Xor(found, V::Xor(V::Shuffle(parts_[part], low),
                                   V::Shuffle(parts_[part + 8], high)));
    }
    return found;
  }

 private:
  typename V::Bytes parts_[16];
};

template <typename V>
void LookUp(const uint8_t* codes, int64_t count, const uint8_t* table,
            uint8_t* out) {
  const ShuffledTable<V> shuffled(table);
  ForBlocks<V>(count, [&](int64_t i, const auto& block) {
    block.StoreBytes(out + i, shuffled[block.LoadBytes(codes + i)]);
  });
}

}  // namespace ns::kernels

#endif  // PASSES_LOWERING_KERNELS_ELEMENTWISE_SIMD_TABLES_H_
