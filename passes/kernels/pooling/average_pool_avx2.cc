#include <immintrin.h>

#include "passes/kernels/pooling/average_pool_kernels.h"
#include "passes/kernels/pooling/average_rounding_simd.h"
#include "passes/kernels/simd/avx2.h"
#include "passes/kernels/unroll.h"

namespace ns::kernels {
namespace {

// Loads up to 16 quantized values, or sums, as 16-bit words. Channels that do
// not fill the widest that fits are done by one more vector that overlaps the
// one before.
struct Sixteen {
  static constexpr int64_t kWidth = 16;
  static __m256i Load(const uint8_t* at) { return Avx2::WidenToShorts(at); }
  static __m256i Load(const uint16_t* at) { return Avx2::Load(at); }
  static void Store(uint8_t* at, __m128i quantized) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(at), quantized);
  }
  static void Store(uint16_t* at, __m256i words) { Avx2::Store(at, words); }
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
  static void Store(uint8_t* at, __m128i quantized) {
    _mm_storel_epi64(reinterpret_cast<__m128i*>(at), quantized);
  }
};

struct One {
  static constexpr int64_t kWidth = 1;
  template <typename Element>
  static __m256i Load(const Element* at) {
    return _mm256_zextsi128_si256(_mm_cvtsi32_si128(*at));
  }
  static void Store(uint8_t* at, __m128i quantized) {
    *at = static_cast<uint8_t>(_mm_cvtsi128_si32(quantized));
  }
};

template <typename Channels, int kVectors, typename Element>
void AverageBlock(const PoolRow<Element>& row, int64_t i, int64_t channel,
                  const AverageScale& scale, const AverageRounding& rounding,
                  uint8_t* out) {
  constexpr int64_t kWidth = Channels::kWidth;
  const __m256i zero = Avx2::Zero();
  __m256i narrow[kVectors];
  // The sums are in the order that unpacking leaves, and packing undoes.
  __m256i low[kVectors];
  __m256i high[kVectors];
  NS_UNROLL
  for (int v = 0; v < kVectors; ++v) {
    narrow[v] = zero;
    low[v] = high[v] = Avx2::SetInts(scale.start);
  }
  const auto widen = [&] {
    NS_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      low[v] = Avx2::Add(low[v], Avx2::UnpackLowShorts(narrow[v], zero));
      high[v] = Avx2::Add(high[v], Avx2::UnpackHighShorts(narrow[v], zero));
      narrow[v] = zero;
    }
  };
  int64_t room = kNarrowSums;
  ForEachPixel(row, i, channel, [&](const Element* pixel) {
    NS_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      narrow[v] =
          Avx2::AddShorts(narrow[v], Channels::Load(pixel + v * kWidth));
    }
    if (sizeof(Element) == 1 && --room == 0) {
      room = kNarrowSums;
      widen();
    }
  });
  widen();
  NS_UNROLL
  for (int v = 0; v < kVectors; ++v) {
    const __m256i words = Avx2::PackInts(
        RoundAverages<Avx2>(low[v], scale.multiplier, rounding),
        RoundAverages<Avx2>(high[v], scale.multiplier, rounding));
    Channels::Store(out + channel + v * kWidth,
                    _mm_packus_epi16(_mm256_castsi256_si128(words),
                                     _mm256_extracti128_si256(words, 1)));
  }
}

// Pools all outputs: blocks of kVectors vectors, then of one.
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
    __m256i sums = Avx2::Zero();
    for (int64_t r = 0; r < count; ++r) {
      sums = Avx2::AddShorts(sums, Sixteen::Load(rows[r] + i));
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
