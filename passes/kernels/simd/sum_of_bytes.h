// Adds up an array of bytes, in a source of an isa_library:
//
//   #include "passes/kernels/simd/avx2.h"
//   ... SumOfBytes<Avx2>(bytes, count) ...
//
// `V` is a class of vectors: see blocks.h.
#ifndef PASSES_KERNELS_SIMD_SUM_OF_BYTES_H_
#define PASSES_KERNELS_SIMD_SUM_OF_BYTES_H_

#include <cstdint>

#include "passes/kernels/simd/blocks.h"

namespace ns::kernels {

// Returns the sum of `count` bytes, which may be 0, modulo 2^32. They may begin
// anywhere in memory; nothing behind them is read.
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
