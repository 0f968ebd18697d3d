// The inner loops of layer normalization, written once for all instruction
// sets; `V` is a class of passes/kernels/simd.
#ifndef PASSES_KERNELS_NORMALIZATION_LAYER_NORM_SIMD_H_
#define PASSES_KERNELS_NORMALIZATION_LAYER_NORM_SIMD_H_

#include <cstdint>

#include "passes/kernels/normalization/layer_norm_kernels.h"
#include "passes/kernels/normalization/value_sums_simd.h"
#include "passes/kernels/simd/blocks.h"
#include "passes/kernels/simd/quantize.h"

namespace ns::kernels {

template <typename V>
void NormalizeRow(const uint8_t* quantized, int64_t n,
                  const Normalization& normalization, uint8_t* out) {
  // A copy: stores of bytes could change the original.
  const Normalization by = normalization;
  ForBlocks<V>(n, [&](int64_t i, const auto& block) {
    const auto quantize = [&](int quarter) {
      // Rows are short, and so it pays to leave out what is not there.
      if (!block.Has(quarter)) {
        return V::Zero();
      }
      const auto centred =
          V::Subtract(V::ToFloats(block.WidenBytes(quantized + i, quarter)),
                      V::SetFloats(by.mean));
      const auto weight = by.weight == nullptr
                              ? V::SetFloats(1)
                              : block.Load(by.weight + i, quarter);
      const auto bias = by.bias == nullptr ? V::SetFloats(0)
                                           : block.Load(by.bias + i, quarter);
      const auto y = V::MultiplyAdd(V::Multiply(centred, V::SetFloats(by.rstd)),
                                    weight, bias);
      return V::Add(
          RoundLimited<V>(V::Multiply(y, V::SetFloats(by.multiplier))),
          V::SetInts(by.zero_point));
    };
    block.StoreBytes(out + i, PackBytes<V, uint8_t>(quantize(0), quantize(1),
                                                    quantize(2), quantize(3)));
  });
}

template <typename V>
constexpr LayerNormKernels SimdLayerNorm() {
  return {SumValues<V>, NormalizeRow<V>};
}

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_NORMALIZATION_LAYER_NORM_SIMD_H_
