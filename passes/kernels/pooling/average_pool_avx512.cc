#include <immintrin.h>

#include "passes/kernels/pooling/average_pool_kernels.h"
#include "passes/kernels/quantize_code_simd.h"

namespace ns::kernels {
namespace {

constexpr int64_t kWidth = 64;  // channels of a block

// The channels of a block that begins `left` before the last.
__mmask64 Lowest(int64_t left) {
  return left >= kWidth ? ~0ULL : (1ULL << left) - 1;
}

// Sums of 64 channels, in the order that unpacking leaves.
struct Sums {
  __m512i wide[4];
};

void Widen(__m512i low, __m512i high, Sums& sums) {
  const __m512i zero = _mm512_setzero_si512();
  sums.wide[0] =
      _mm512_add_epi32(sums.wide[0], _mm512_unpacklo_epi16(low, zero));
  sums.wide[1] =
      _mm512_add_epi32(sums.wide[1], _mm512_unpackhi_epi16(low, zero));
  sums.wide[2] =
      _mm512_add_epi32(sums.wide[2], _mm512_unpacklo_epi16(high, zero));
  sums.wide[3] =
      _mm512_add_epi32(sums.wide[3], _mm512_unpackhi_epi16(high, zero));
}

// The codes of sums that have had their `start`. Packing undoes what unpacking
// did to the order.
__m512i Round(const Sums& sums, float multiplier,
              const AverageRounding& rounding) {
  __m512i codes[4];
#pragma clang loop unroll(full)
  for (int i = 0; i < 4; ++i) {
    __m512 scaled = _mm512_mul_ps(_mm512_cvtepi32_ps(sums.wide[i]),
                                  _mm512_set1_ps(multiplier));
    if (rounding.addend != 0) {
      scaled = _mm512_add_ps(scaled, _mm512_set1_ps(rounding.addend));
    }
    codes[i] = RoundCodes(scaled, _mm512_set1_epi32(rounding.zero_point));
  }
  return _mm512_packus_epi16(_mm512_packs_epi32(codes[0], codes[1]),
                             _mm512_packs_epi32(codes[2], codes[3]));
}

Sums StartAt(int32_t start) {
  const __m512i all = _mm512_set1_epi32(start);
  return {{all, all, all, all}};
}

// kVectors times 64 channels; with kMasked those of `mask`, whose loads cost
// more.
template <int kVectors, bool kMasked>
void AverageBlock(const PoolRow<uint8_t>& row, int64_t i, int64_t channel,
                  __mmask64 mask, const AverageScale& scale,
                  const AverageRounding& rounding, uint8_t* out) {
  const __m512i zero = _mm512_setzero_si512();
  __m512i low[kVectors];
  __m512i high[kVectors];
  Sums sums[kVectors];
#pragma clang loop unroll(full)
  for (int v = 0; v < kVectors; ++v) {
    low[v] = high[v] = zero;
    sums[v] = StartAt(scale.start);
  }
  int64_t room = kNarrowSums;
  ForEachPixel(row, i, channel, [&](const uint8_t* pixel) {
#pragma clang loop unroll(full)
    for (int v = 0; v < kVectors; ++v) {
      const __m512i codes = kMasked ? _mm512_maskz_loadu_epi8(mask, pixel)
                                    : _mm512_loadu_si512(pixel + v * kWidth);
      low[v] = _mm512_add_epi16(low[v], _mm512_unpacklo_epi8(codes, zero));
      high[v] = _mm512_add_epi16(high[v], _mm512_unpackhi_epi8(codes, zero));
    }
    if (--room == 0) {
      room = kNarrowSums;
#pragma clang loop unroll(full)
      for (int v = 0; v < kVectors; ++v) {
        Widen(low[v], high[v], sums[v]);
        low[v] = high[v] = zero;
      }
    }
  });
#pragma clang loop unroll(full)
  for (int v = 0; v < kVectors; ++v) {
    Widen(low[v], high[v], sums[v]);
    const __m512i codes = Round(sums[v], scale.multiplier, rounding);
    if (kMasked) {
      _mm512_mask_storeu_epi8(out + channel, mask, codes);
    } else {
      _mm512_storeu_si512(out + channel + v * kWidth, codes);
    }
  }
}

__m512i LoadWords(const uint8_t* at) {
  return _mm512_cvtepu8_epi16(
      _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)));
}

void AveragePoolRow(const PoolRow<uint8_t>& row, const AverageScale* scales,
                    const AverageRounding& rounding, uint8_t* out) {
  for (int64_t i = 0; i < row.outputs; ++i, out += row.channels) {
    int64_t channel = 0;
    for (; channel + 2 * kWidth <= row.channels; channel += 2 * kWidth) {
      AverageBlock<2, false>(row, i, channel, 0, scales[i], rounding, out);
    }
    if (channel + kWidth <= row.channels) {
      AverageBlock<1, false>(row, i, channel, 0, scales[i], rounding, out);
      channel += kWidth;
    }
    if (channel < row.channels) {
      AverageBlock<1, true>(row, i, channel, Lowest(row.channels - channel),
                            scales[i], rounding, out);
    }
  }
}

void SumOfRows(const uint8_t* const* rows, int64_t count, int64_t bytes,
               uint16_t* out) {
  constexpr int64_t kWords = 32;
  const __m512i zero = _mm512_setzero_si512();
  int64_t i = 0;
  for (; i + 4 * kWords <= bytes; i += 4 * kWords) {
    __m512i sums[4] = {zero, zero, zero, zero};
    for (int64_t r = 0; r < count; ++r) {
      const uint8_t* at = rows[r] + i;
#pragma clang loop unroll(full)
      for (int v = 0; v < 4; ++v) {
        sums[v] = _mm512_add_epi16(sums[v], LoadWords(at + v * kWords));
      }
    }
#pragma clang loop unroll(full)
    for (int v = 0; v < 4; ++v) {
      _mm512_storeu_si512(out + i + v * kWords, sums[v]);
    }
  }
  for (; i < bytes; i += kWords) {
    const auto mask = static_cast<__mmask32>(
        bytes - i >= kWords ? ~0U : (1U << (bytes - i)) - 1);
    __m512i sums = zero;
    for (int64_t r = 0; r < count; ++r) {
      sums = _mm512_add_epi16(
          sums,
          _mm512_cvtepu8_epi16(_mm256_maskz_loadu_epi8(mask, rows[r] + i)));
    }
    _mm512_mask_storeu_epi16(out + i, mask, sums);
  }
}

void AverageOfSums(const PoolRow<uint16_t>& row, const AverageScale* scales,
                   const AverageRounding& rounding, uint8_t* out) {
  // Packing took 128 bits of the lower half and of the higher in turns.
  const __m512i order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
  const __m512i zero = _mm512_setzero_si512();
  for (int64_t i = 0; i < row.outputs; ++i, out += row.channels) {
    for (int64_t channel = 0; channel < row.channels; channel += kWidth) {
      const __mmask64 mask = Lowest(row.channels - channel);
      const auto low_mask = static_cast<__mmask32>(mask);
      const auto high_mask = static_cast<__mmask32>(mask >> 32);
      __m512i low = zero;
      __m512i high = zero;
      if (mask == ~0ULL) {
        ForEachPixel(row, i, channel, [&](const uint16_t* pixel) {
          low = _mm512_add_epi16(low, _mm512_loadu_si512(pixel));
          high = _mm512_add_epi16(high, _mm512_loadu_si512(pixel + 32));
        });
      } else if (high_mask == 0) {
        ForEachPixel(row, i, channel, [&](const uint16_t* pixel) {
          low =
              _mm512_add_epi16(low, _mm512_maskz_loadu_epi16(low_mask, pixel));
        });
      } else {
        ForEachPixel(row, i, channel, [&](const uint16_t* pixel) {
          low = _mm512_add_epi16(low, _mm512_loadu_si512(pixel));
          high = _mm512_add_epi16(
              high, _mm512_maskz_loadu_epi16(high_mask, pixel + 32));
        });
      }
      Sums sums = StartAt(scales[i].start);
      Widen(low, high, sums);
      const __m512i codes = Round(sums, scales[i].multiplier, rounding);
      _mm512_mask_storeu_epi8(out + channel, mask,
                              _mm512_permutexvar_epi64(order, codes));
    }
  }
}

}  // namespace

const AveragePoolKernels kAvx512AveragePool = {AveragePoolRow, SumOfRows,
                                               AverageOfSums};

}  // namespace ns::kernels
