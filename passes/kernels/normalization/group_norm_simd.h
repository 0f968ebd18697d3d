// The inner loops of group normalization, written once for all instruction
// sets; `V` is a class of passes/kernels/simd.
#ifndef PASSES_KERNELS_NORMALIZATION_GROUP_NORM_SIMD_H_
#define PASSES_KERNELS_NORMALIZATION_GROUP_NORM_SIMD_H_

#include <cstdint>

#include "passes/kernels/normalization/group_norm_kernels.h"
#include "passes/kernels/normalization/value_sums_simd.h"
#include "passes/kernels/simd/blocks.h"
#include "passes/kernels/simd/quantize.h"
#include "passes/kernels/unroll.h"

namespace ns::kernels {

// GroupNormKernels::normalize_each with kEach, and normalize_alike without.
template <typename V, bool kEach>
void NormalizeChannels(const uint8_t* quantized, int64_t n,
                       const ChannelNormalization& normalization,
                       uint8_t* out) {
  // A copy: stores of bytes could change the original.
  const ChannelNormalization by = normalization;
  ForBlocks<V>(n, [&](int64_t i, const auto& block) {
    const auto load = [&](const float* values, int quarter) {
      return kEach ? block.Load(values + (kEach ? i : 0), quarter)
                   : V::SetFloats(values[0]);
    };
    const auto quantize = [&](int quarter) {
      // Rows are short, and so it pays to leave out what is not there.
      if (!block.Has(quarter)) {
        return V::Zero();
      }
      const auto centred =
          V::Subtract(V::ToFloats(block.WidenBytes(quantized + i, quarter)),
                      load(by.means, quarter));
      const auto y = V::MultiplyAdd(centred, load(by.factors, quarter),
                                    load(by.biases, quarter));
      return V::Add(
          RoundLimited<V>(V::Multiply(y, V::SetFloats(by.multiplier))),
          V::SetInts(by.zero_point));
    };
    block.StoreBytes(out + i, PackBytes<V, uint8_t>(quantize(0), quantize(1),
                                                    quantize(2), quantize(3)));
  });
}

// AddLines for the first kVectors * V::kFloats columns of [lines][n] or, unless
// kIsWhole, where kVectors is 1, for the first `count`, fewer than V::kFloats.
template <typename V, int kVectors, bool kIsWhole>
void AddColumns(const uint8_t* quantized, int64_t lines, int64_t n,
                int64_t count, uint32_t* sums, uint32_t* squares) {
  typename V::Ints sum[kVectors];
  typename V::Ints square[kVectors];
  const auto mask = V::First(count);
  const auto at = [](uint32_t* base, int v) {
    return reinterpret_cast<int32_t*>(base + v * V::kFloats);
  };
  NS_UNROLL
  for (int v = 0; v < kVectors; ++v) {
    sum[v] = kIsWhole ? V::Load(at(sums, v)) : V::Load(at(sums, v), mask);
    square[v] =
        kIsWhole ? V::Load(at(squares, v)) : V::Load(at(squares, v), mask);
  }
  for (int64_t line = 0; line < lines; ++line) {
    const uint8_t* const row = quantized + line * n;
    NS_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      const auto wide = kIsWhole ? V::WidenBytes(row + v * V::kFloats)
                                 : V::WidenBytes(row, count);
      sum[v] = V::Add(sum[v], wide);
      // The upper of the two 16-bit halves of an integer is 0.
      square[v] = V::Add(square[v], V::SumPairProducts(wide, wide));
    }
  }
  NS_UNROLL
  for (int v = 0; v < kVectors; ++v) {
    if (kIsWhole) {
      V::Store(at(sums, v), sum[v]);
      V::Store(at(squares, v), square[v]);
    } else {
      V::Store(at(sums, v), mask, sum[v]);
      V::Store(at(squares, v), mask, square[v]);
    }
  }
}

// GroupNormKernels::add_lines.
template <typename V>
void AddLines(const uint8_t* quantized, int64_t lines, int64_t n,
              uint32_t* sums, uint32_t* squares) {
  constexpr int kVectors = 4;
  int64_t i = 0;
  for (; i + kVectors * V::kFloats <= n; i += kVectors * V::kFloats) {
    AddColumns<V, kVectors, true>(quantized + i, lines, n, V::kFloats, sums + i,
                                  squares + i);
  }
  for (; i + V::kFloats <= n; i += V::kFloats) {
    AddColumns<V, 1, true>(quantized + i, lines, n, V::kFloats, sums + i,
                           squares + i);
  }
  if (i < n) {
    AddColumns<V, 1, false>(quantized + i, lines, n, n - i, sums + i,
                            squares + i);
  }
}

template <typename V>
constexpr GroupNormKernels SimdGroupNorm() {
  return {SumValues<V>, NormalizeChannels<V, /*kEach=*/false>,
          NormalizeChannels<V, /*kEach=*/true>, AddLines<V>};
}

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_NORMALIZATION_GROUP_NORM_SIMD_H_
