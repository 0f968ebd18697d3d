// The loops of elementwise kernels, written once for all instruction sets.
//
// Each is a template over a class `V` of passes/kernels/simd. `V` is local to
// the file that includes this, and so is what is made of these templates: files
// are compiled with different flags, and none may take the code of another. So
// there is nothing but templates here.
#ifndef PASSES_KERNELS_ELEMENTWISE_SIMD_KERNELS_H_
#define PASSES_KERNELS_ELEMENTWISE_SIMD_KERNELS_H_

#include <cstdint>

#include "passes/kernels/elementwise/kernels.h"
#include "passes/kernels/elementwise/simd_arithmetic.h"
#include "passes/kernels/elementwise/simd_conversions.h"
#include "passes/kernels/elementwise/simd_tables.h"
#include "passes/kernels/simd/sum_of_bytes.h"

namespace ns::kernels {

template <typename V>
constexpr ElementwiseKernels SimdElementwise() {
  return {
      Quantize<V, uint8_t>,
      Quantize<V, int8_t>,
      QuantizeShifted<V>,
      QuantizeEach<V, uint8_t>,
      QuantizeEach<V, int8_t>,
      Dequantize<V, uint8_t>,
      Dequantize<V, int8_t>,
      DequantizeEach<V, uint8_t>,
      DequantizeEach<V, int8_t>,
      Add<V>,
      AddFloats<V>,
      Multiply<V>,
      ScaleEach<V>,
      Clamp<V, uint8_t>,
      Clamp<V, int8_t>,
      LookUp<V>,
      MinMax<V>,
      SumOfBytes<V>,
  };
}

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_ELEMENTWISE_SIMD_KERNELS_H_
