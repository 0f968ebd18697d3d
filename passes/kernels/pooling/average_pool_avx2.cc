#include <immintrin.h>

#include "passes/kernels/pooling/average_pool_kernels.h"
#include "passes/kernels/quantize_code_simd.h"

namespace ns::kernels {
namespace {

// Up to 16 codes, or sums, as words. Channels that do not fill the widest that
// fits are done by one more vector that overlaps the one before.
struct Sixteen {
  static constexpr int64_t kWidth = 16;
  static __m256i Load(const uint8_t* at) {
    return _mm256_cvtepu8_epi16(
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(at)));
  }
  static __m256i Load(const uint16_t* at) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
  }
  static void Store(uint8_t* at, __m128i codes) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(at), codes);
  }
  static void Store(uint16_t* at, __m256i words) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(at), words);
  }
};

struct Eight {
  static constexpr int64_t kWidth = 8;
  static __m256i Load(const uint8_t* at) {
    return _mm256_cvtepu8_epi16(
        _mm_loadl_epi64(reinterpret_cast<const __m128i*>(at)));
  }
  static __m256i Load(const uint16_t* at) {
    return _mm256_zextsi128_si256(
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(at)));
  }
  static void Store(uint8_t* at, __m128i codes) {
    _mm_storel_epi64(reinterpret_cast<__m128i*>(at), codes);
  }
};

struct One {
  static constexpr int64_t kWidth = 1;
  template <typename Element>
  static __m256i Load(const Element* at) {
    return _mm256_zextsi128_si256(_mm_cvtsi32_si128(*at));
  }
  static void Store(uint8_t* at, __m128i codes) {
    *at = static_cast<uint8_t>(_mm_cvtsi128_si32(codes));
  }
};

// The codes of eight sums that have had their `start`, before they saturate.
__m256i Round(__m256i sums, float multiplier, const AverageRounding& rounding) {
  __m256 scaled =
      _mm256_mul_ps(_mm256_cvtepi32_ps(sums), _mm256_set1_ps(multiplier));
  if (rounding.addend != 0) {
    scaled = _mm256_add_ps(scaled, _mm256_set1_ps(rounding.addend));
  }
  return RoundCodes(scaled, _mm256_set1_epi32(rounding.zero_point));
}

template <typename Channels, int kVectors, typename Element>
void AverageBlock(const PoolRow<Element>& row, int64_t i, int64_t channel,
                  const AverageScale& scale, const AverageRounding& rounding,
                  uint8_t* out) {
  constexpr int64_t kWidth = Channels::kWidth;
  const __m256i zero = _mm256_setzero_si256();
  __m256i narrow[kVectors];
  // In the order that unpacking leaves, and packing undoes.
  __m256i low[kVectors];
  __m256i high[kVectors];
#pragma clang loop unroll(full)
  for (int v = 0; v < kVectors; ++v) {
    narrow[v] = zero;
    low[v] = high[v] = _mm256_set1_epi32(scale.start);
  }
  const auto widen = [&] {
#pragma clang loop unroll(full)
    for (int v = 0; v < kVectors; ++v) {
      low[v] = _mm256_add_epi32(low[v], _mm256_unpacklo_epi16(narrow[v], zero));
      high[v] =
          _mm256_add_epi32(high[v], _mm256_unpackhi_epi16(narrow[v], zero));
      narrow[v] = zero;
    }
  };
  int64_t room = kNarrowSums;
  ForEachPixel(row, i, channel, [&](const Element* pixel) {
#pragma clang loop unroll(full)
    for (int v = 0; v < kVectors; ++v) {
      narrow[v] =
          _mm256_add_epi16(narrow[v], Channels::Load(pixel + v * kWidth));
    }
    if (sizeof(Element) == 1 && --room == 0) {
      room = kNarrowSums;
      widen();
    }
  });
  widen();
#pragma clang loop unroll(full)
  for (int v = 0; v < kVectors; ++v) {
    const __m256i words =
        _mm256_packs_epi32(Round(low[v], scale.multiplier, rounding),
                           Round(high[v], scale.multiplier, rounding));
    Channels::Store(out + channel + v * kWidth,
                    _mm_packus_epi16(_mm256_castsi256_si128(words),
                                     _mm256_extracti128_si256(words, 1)));
  }
}

// All outputs: blocks of kVectors, then of one.
template <typename Channels, int kVectors, typename Element>
void AverageRow(const PoolRow<Element>& row, const AverageScale* scales,
                const AverageRounding& rounding, uint8_t* out) {
  constexpr int64_t kWidth = Channels::kWidth;
  for (int64_t i = 0; i < row.outputs; ++i, out += row.channels) {
    int64_t channel = 0;
    for (; channel + kVectors * kWidth <= row.channels;
         channel += kVectors * kWidth) {
      AverageBlock<Channels, kVectors>(row, i, channel, scales[i], rounding,
                                       out);
    }
    for (; channel + kWidth <= row.channels; channel += kWidth) {
      AverageBlock<Channels, 1>(row, i, channel, scales[i], rounding, out);
    }
    if (channel < row.channels) {
      AverageBlock<Channels, 1>(row, i, row.channels - kWidth, scales[i],
                                rounding, out);
    }
  }
}

template <typename Element>
void AveragePoolRow(const PoolRow<Element>& row, const AverageScale* scales,
                    const AverageRounding& rounding, uint8_t* out) {
  if (row.channels >= Sixteen::kWidth) {
    AverageRow<Sixteen, 4>(row, scales, rounding, out);
  } else if (row.channels >= Eight::kWidth) {
    AverageRow<Eight, 1>(row, scales, rounding, out);
  } else {
    AverageRow<One, 1>(row, scales, rounding, out);
  }
}

void SumOfRows(const uint8_t* const* rows, int64_t count, int64_t bytes,
               uint16_t* out) {
  int64_t i = 0;
  for (; i + Sixteen::kWidth <= bytes; i += Sixteen::kWidth) {
    __m256i sums = _mm256_setzero_si256();
    for (int64_t r = 0; r < count; ++r) {
      sums = _mm256_add_epi16(sums, Sixteen::Load(rows[r] + i));
    }
    Sixteen::Store(out + i, sums);
  }
  for (; i < bytes; ++i) {
    uint16_t sum = 0;
    for (int64_t r = 0; r < count; ++r) {
      sum = static_cast<uint16_t>(sum + rows[r][i]);
    }
    out[i] = sum;
  }
}

}  // namespace

const AveragePoolKernels kAvx2AveragePool = {AveragePoolRow<uint8_t>, SumOfRows,
                                             AveragePoolRow<uint16_t>};

}  // namespace ns::kernels
