#include <immintrin.h>

#include "passes/kernels/pooling/average_pool_kernels.h"
#include "passes/kernels/pooling/average_rounding_simd.h"
#include "passes/kernels/simd/avx512.h"
#include "passes/kernels/unroll.h"

namespace ns::kernels {
namespace {

constexpr int64_t kWidth = 64;  // channels of a block

// Sums of 64 channels, in the order that unpacking leaves.
struct Sums {
  __m512i wide[4];
};

void Widen(__m512i low, __m512i high, Sums& sums) {
  const __m512i zero = Avx512::Zero();
  sums.wide[0] = Avx512::Add(sums.wide[0], Avx512::UnpackLowShorts(low, zero));
  sums.wide[1] = Avx512::Add(sums.wide[1], Avx512::UnpackHighShorts(low, zero));
  sums.wide[2] = Avx512::Add(sums.wide[2], Avx512::UnpackLowShorts(high, zero));
  sums.wide[3] =
      Avx512::Add(sums.wide[3], Avx512::UnpackHighShorts(high, zero));
}

// Rounds sums that have had their `start` to quantized values. Packing undoes
// what unpacking did to the order.
__m512i Round(const Sums& sums, float multiplier,
              const AverageRounding& rounding) {
  __m512i quantized[4];
  NS_UNROLL
  for (int i = 0; i < 4; ++i) {
    quantized[i] = RoundAverages<Avx512>(sums.wide[i], multiplier, rounding);
  }
  return Avx512::PackShorts(Avx512::PackInts(quantized[0], quantized[1]),
                            Avx512::PackInts(quantized[2], quantized[3]));
}

Sums StartAt(int32_t start) {
  const __m512i all = Avx512::SetInts(start);
  return {{all, all, all, all}};
}

// kVectors times 64 channels; with kMasked those of `mask`, whose loads cost
// more.
template <int kVectors, bool kMasked>
void AverageBlock(const PoolRow<uint8_t>& row, int64_t i, int64_t channel,
                  __mmask64 mask, const AverageScale& scale,
                  const AverageRounding& rounding, uint8_t* out) {
  const __m512i zero = Avx512::Zero();
  __m512i low[kVectors];
  __m512i high[kVectors];
  Sums sums[kVectors];
  NS_UNROLL
  for (int v = 0; v < kVectors; ++v) {
    low[v] = high[v] = zero;
    sums[v] = StartAt(scale.start);
  }
  int64_t room = kNarrowSums;
  ForEachPixel(row, i, channel, [&](const uint8_t* pixel) {
    NS_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      const __m512i quantized = kMasked ? _mm512_maskz_loadu_epi8(mask, pixel)
                                        : Avx512::Load(pixel + v * kWidth);
      low[v] =
          Avx512::AddShorts(low[v], Avx512::UnpackLowBytes(quantized, zero));
      high[v] =
          Avx512::AddShorts(high[v], Avx512::UnpackHighBytes(quantized, zero));
    }
    if (--room == 0) {
      room = kNarrowSums;
      NS_UNROLL
      for (int v = 0; v < kVectors; ++v) {
        Widen(low[v], high[v], sums[v]);
        low[v] = high[v] = zero;
      }
    }
  });
  NS_UNROLL
  for (int v = 0; v < kVectors; ++v) {
    Widen(low[v], high[v], sums[v]);
    const __m512i quantized = Round(sums[v], scale.multiplier, rounding);
    if (kMasked) {
      _mm512_mask_storeu_epi8(out + channel, mask, quantized);
    } else {
      Avx512::Store(out + channel + v * kWidth, quantized);
    }
  }
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
      AverageBlock<1, true>(row, i, channel,
                            Avx512::FirstBytes(row.channels - channel),
                            scales[i], rounding, out);
    }
  }
}

void SumOfRows(const uint8_t* const* rows, int64_t count, int64_t bytes,
               uint16_t* out) {
  constexpr int64_t kWords = 32;
  const __m512i zero = Avx512::Zero();
  int64_t i = 0;
  for (; i + 4 * kWords <= bytes; i += 4 * kWords) {
    __m512i sums[4] = {zero, zero, zero, zero};
    for (int64_t r = 0; r < count; ++r) {
      const uint8_t* at = rows[r] + i;
      NS_UNROLL
      for (int v = 0; v < 4; ++v) {
        sums[v] =
            Avx512::AddShorts(sums[v], Avx512::WidenToShorts(at + v * kWords));
      }
    }
    NS_UNROLL
    for (int v = 0; v < 4; ++v) {
      Avx512::Store(out + i + v * kWords, sums[v]);
    }
  }
  for (; i < bytes; i += kWords) {
    const auto mask = static_cast<__mmask32>(
        bytes - i >= kWords ? ~0U : (1U << (bytes - i)) - 1);
    __m512i sums = zero;
    for (int64_t r = 0; r < count; ++r) {
      sums = Avx512::AddShorts(
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
  const __m512i zero = Avx512::Zero();
  for (int64_t i = 0; i < row.outputs; ++i, out += row.channels) {
    for (int64_t channel = 0; channel < row.channels; channel += kWidth) {
      const __mmask64 mask = Avx512::FirstBytes(row.channels - channel);
      const auto low_mask = static_cast<__mmask32>(mask);
      const auto high_mask = static_cast<__mmask32>(mask >> 32);
      __m512i low = zero;
      __m512i high = zero;
      if (mask == ~0ULL) {
        ForEachPixel(row, i, channel, [&](const uint16_t* pixel) {
          low = Avx512::AddShorts(low, Avx512::Load(pixel));
          high = Avx512::AddShorts(high, Avx512::Load(pixel + 32));
        });
      } else if (high_mask == 0) {
        ForEachPixel(row, i, channel, [&](const uint16_t* pixel) {
          low =
              Avx512::AddShorts(low, _mm512_maskz_loadu_epi16(low_mask, pixel));
        });
      } else {
        ForEachPixel(row, i, channel, [&](const uint16_t* pixel) {
          low = Avx512::AddShorts(low, Avx512::Load(pixel));
          high = Avx512::AddShorts(
              high, _mm512_maskz_loadu_epi16(high_mask, pixel + 32));
        });
      }
      Sums sums = StartAt(scales[i].start);
      Widen(low, high, sums);
      const __m512i quantized = Round(sums, scales[i].multiplier, rounding);
      _mm512_mask_storeu_epi8(out + channel, mask,
                              _mm512_permutexvar_epi64(order, quantized));
    }
  }
}

}  // namespace

const AveragePoolKernels kAvx512AveragePool = {AveragePoolRow, SumOfRows,
                                               AverageOfSums};

}  // namespace ns::kernels
