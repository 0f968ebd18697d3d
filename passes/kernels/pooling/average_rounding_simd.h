// Turns vectors of sums into quantized averages, by the formula in
// average_pool_kernels.h. `V` is a class of vectors (passes/kernels/simd):
// Avx2 or Avx512.
#ifndef PASSES_KERNELS_POOLING_AVERAGE_ROUNDING_SIMD_H_
#define PASSES_KERNELS_POOLING_AVERAGE_ROUNDING_SIMD_H_

#include "passes/kernels/pooling/average_pool_kernels.h"
#include "passes/kernels/simd/quantize.h"

namespace ns::kernels {

// Returns round(y) + zero_point of that formula, in s32: the caller saturates
// it to u8. `sums` are sum + start, and `multiplier` is that of AverageScale
// for the output.
template <typename V>
typename V::Ints RoundAverages(typename V::Ints sums, float multiplier,
                               const AverageRounding& rounding) {
  typename V::Floats scaled =
      V::Multiply(V::ToFloats(sums), V::SetFloats(multiplier));
  if (rounding.addend != 0) {
    scaled = V::Add(scaled, V::SetFloats(rounding.addend));
  }
  return V::Add(RoundLimited<V>(scaled), V::SetInts(rounding.zero_point));
}

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_POOLING_AVERAGE_ROUNDING_SIMD_H_
