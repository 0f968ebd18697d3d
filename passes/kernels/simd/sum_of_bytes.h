// Adds up an array of bytes; `V` is as in blocks.h.
#ifndef PASSES_KERNELS_SIMD_SUM_OF_BYTES_H_
#define PASSES_KERNELS_SIMD_SUM_OF_BYTES_H_

#include <cstdint>

#include "passes/kernels/simd/blocks.h"

namespace ns::kernels {

// The sum of `count` bytes, modulo 2^32.
template <typename V>
uint32_t SumOfBytes(const uint8_t* bytes, int64_t count) {
  typename V::Ints sums = V::Zero();
  ForBlocks<V>(count, [&](int64_t i, const auto& block) {
    sums = V::Add(sums, V::SumEightBytes(block.LoadBytes(bytes + i)));
  });
  return static_cast<uint32_t>(V::SumUnsigned(sums));
}

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_SIMD_SUM_OF_BYTES_H_
