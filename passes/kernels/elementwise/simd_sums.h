// Loops of simd_kernels.h that add codes up.
#ifndef PASSES_KERNELS_ELEMENTWISE_SIMD_SUMS_H_
#define PASSES_KERNELS_ELEMENTWISE_SIMD_SUMS_H_

#include <cstdint>

#include "passes/kernels/elementwise/simd_blocks.h"

namespace ns::kernels {

template <typename V>
uint32_t Sum(const uint8_t* codes, int64_t count) {
  auto sums = V::SetInts(0);
  ForBlocks<V>(count, [&](int64_t i, const auto& block) {
    sums = V::Add(sums, V::SumBytes(block.LoadBytes(codes + i)));
  });
  uint32_t lanes[V::kLanes];
  V::StoreBytes(lanes, sums);
  uint32_t sum = 0;
  for (const uint32_t lane : lanes) {
    sum += lane;
  }
  return sum;
}

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_ELEMENTWISE_SIMD_SUMS_H_
