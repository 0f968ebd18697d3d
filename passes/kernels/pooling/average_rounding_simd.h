// Rounds vectors of sums to averages, as average_pool_kernels.h says; `V` is a
// class of passes/kernels/simd.
#ifndef PASSES_KERNELS_POOLING_AVERAGE_ROUNDING_SIMD_H_
#define PASSES_KERNELS_POOLING_AVERAGE_ROUNDING_SIMD_H_

#include "passes/kernels/pooling/average_pool_kernels.h"
#include "passes/kernels/simd/quantize.h"

namespace ns::kernels {

// The averages of sums that have had their `start`, before they saturate.
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
