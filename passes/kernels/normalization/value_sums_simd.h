// Adds up quantized values and their squares, once for all instruction sets;
// `V` is a class of passes/kernels/simd.
#ifndef PASSES_KERNELS_NORMALIZATION_VALUE_SUMS_SIMD_H_
#define PASSES_KERNELS_NORMALIZATION_VALUE_SUMS_SIMD_H_

#include <cstdint>

#include "passes/kernels/normalization/value_moments.h"
#include "passes/kernels/simd/blocks.h"

namespace ns::kernels {

template <typename V>
ValueSums SumValues(const uint8_t* quantized, int64_t n) {
  // An integer of squares takes up to 4 * 255 * 255 of each vector.
  constexpr int64_t kChunk = 8192 * V::kBytes;
  ValueSums all = {0, 0};
  for (int64_t begin = 0; begin < n; begin += kChunk) {
    const int64_t count = n - begin < kChunk ? n - begin : kChunk;
    const typename V::Ints zero = V::Zero();
    typename V::Ints sums = zero;
    typename V::Ints squares = zero;
    ForBlocks<V>(count, [&](int64_t i, const auto& block) {
      const auto bytes = block.LoadBytes(quantized + begin + i);
      const auto low = V::UnpackLowBytes(bytes, zero);
      const auto high = V::UnpackHighBytes(bytes, zero);
      sums = V::Add(sums, V::SumEightBytes(bytes));
      squares = V::Add(squares, V::Add(V::SumPairProducts(low, low),
                                       V::SumPairProducts(high, high)));
    });
    all.sum += static_cast<int64_t>(V::SumUnsigned(sums));
    all.sum_of_squares += static_cast<int64_t>(V::SumUnsigned(squares));
  }
  return all;
}

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_NORMALIZATION_VALUE_SUMS_SIMD_H_
