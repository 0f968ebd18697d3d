#include <immintrin.h>

#include "passes/lowering/kernels/pooling/pool_kernels.h"
#include "passes/lowering/kernels/quantize_code_simd.h"

namespace ns::kernels {
namespace {

// Vectors of bytes of three widths: channels that do not fill the widest that
// fits are done by one more that overlaps the one before.
struct Bytes32 {
  static constexpr int64_t kWidth = 32;
  using Vector = __m256i;
  static Vector Zero() { return _mm256_setzero_si256(); }
  static Vector Max(Vector a, const uint8_t* at) {
    return _mm256_max_epu8(
        a, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)));
  }
  static void Store(uint8_t* at, Vector a) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(at), a);
  }
};

struct Bytes16 {
  static constexpr int64_t kWidth = 16;
  using Vector = __m128i;
  static Vector Zero() { return _mm_setzero_si128(); }
  static Vector Max(Vector a, const uint8_t* at) {
    return _mm_max_epu8(a, Load(at));
  }
  static void Store(uint8_t* at, Vector a) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(at), a);
  }
  static __m128i Load(const uint8_t* at) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
  }
};

struct Bytes8 {
  static constexpr int64_t kWidth = 8;
  using Vector = __m128i;
  static Vector Zero() { return _mm_setzero_si128(); }
  static Vector Max(Vector a, const uint8_t* at) {
    return _mm_max_epu8(a, Load(at));
  }
  static void Store(uint8_t* at, Vector a) {
    _mm_storel_epi64(reinterpret_cast<__m128i*>(at), a);
  }
  static __m128i Load(const uint8_t* at) {
    return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(at));
  }
};

struct Byte {
  static constexpr int64_t kWidth = 1;
  using Vector = uint8_t;
  static Vector Zero() { return 0; }
  static Vector Max(Vector a, const uint8_t* at) { return a > *at ? a : *at; }
  static void Store(uint8_t* at, Vector a) { *at = a; }
};

template <typename Bytes, int kVectors>
void MaxBlock(const PoolRow& row, const PoolSpan& span, int64_t channel,
              uint8_t* out) {
  typename Bytes::Vector greatest[kVectors];
#pragma clang loop unroll(full)
  for (int v = 0; v < kVectors; ++v) {
    greatest[v] = Bytes::Zero();
  }
  for (int64_t r = 0; r < row.row_count; ++r) {
    const uint8_t* pixel = row.rows[r] + span.offset + channel;
    for (int64_t k = 0; k < span.count; ++k, pixel += row.step) {
#pragma clang loop unroll(full)
      for (int v = 0; v < kVectors; ++v) {
        greatest[v] = Bytes::Max(greatest[v], pixel + v * Bytes::kWidth);
      }
    }
  }
#pragma clang loop unroll(full)
  for (int v = 0; v < kVectors; ++v) {
    Bytes::Store(out + channel + v * Bytes::kWidth, greatest[v]);
  }
}

// All channels of an output: blocks of kVectors, then of one.
template <typename Bytes, int kVectors>
void MaxOutput(const PoolRow& row, const PoolSpan& span, uint8_t* out) {
  constexpr int64_t kWidth = Bytes::kWidth;
  int64_t channel = 0;
  for (; channel + kVectors * kWidth <= row.channels;
       channel += kVectors * kWidth) {
    MaxBlock<Bytes, kVectors>(row, span, channel, out);
  }
  for (; channel + kWidth <= row.channels; channel += kWidth) {
    MaxBlock<Bytes, 1>(row, span, channel, out);
  }
  if (channel < row.channels) {
    MaxBlock<Bytes, 1>(row, span, row.channels - kWidth, out);
  }
}

template <typename Bytes, int kVectors>
void MaxOutputs(const PoolRow& row, uint8_t* out) {
  for (int64_t i = 0; i < row.outputs; ++i, out += row.channels) {
    MaxOutput<Bytes, kVectors>(row, row.spans[i], out);
  }
}

// The codes of eight sums, before they saturate.
__m256i Round(__m256i sums, const AverageScale& scale,
              const AverageRounding& rounding) {
  const __m256 real = _mm256_cvtepi32_ps(
      _mm256_add_epi32(sums, _mm256_set1_epi32(scale.start)));
  const __m256 product = _mm256_mul_ps(real, _mm256_set1_ps(scale.multiplier));
  return RoundCodes(_mm256_add_ps(product, _mm256_set1_ps(rounding.addend)),
                    _mm256_set1_epi32(rounding.zero_point));
}

// Averages of the 16 channels from `channel`, of which Bytes are loaded and
// stored.
template <typename Bytes>
void AverageBlock(const PoolRow& row, const PoolSpan& span,
                  const AverageScale& scale, const AverageRounding& rounding,
                  int64_t channel, uint8_t* out) {
  // 257 codes fit in 16 bits.
  constexpr int64_t kNarrow = 257;
  const __m256i zero = _mm256_setzero_si256();
  __m256i narrow = zero;
  // In the order that unpacking leaves.
  __m256i low = zero;
  __m256i high = zero;
  int64_t room = kNarrow;
  for (int64_t r = 0; r < row.row_count; ++r) {
    const uint8_t* pixel = row.rows[r] + span.offset + channel;
    for (int64_t k = 0; k < span.count; ++k, pixel += row.step) {
      narrow =
          _mm256_add_epi16(narrow, _mm256_cvtepu8_epi16(Bytes::Load(pixel)));
      if (--room == 0) {
        room = kNarrow;
        low = _mm256_add_epi32(low, _mm256_unpacklo_epi16(narrow, zero));
        high = _mm256_add_epi32(high, _mm256_unpackhi_epi16(narrow, zero));
        narrow = zero;
      }
    }
  }
  low = _mm256_add_epi32(low, _mm256_unpacklo_epi16(narrow, zero));
  high = _mm256_add_epi32(high, _mm256_unpackhi_epi16(narrow, zero));
  const __m256i words = _mm256_packs_epi32(Round(low, scale, rounding),
                                           Round(high, scale, rounding));
  Bytes::Store(out + channel,
               _mm_packus_epi16(_mm256_castsi256_si128(words),
                                _mm256_extracti128_si256(words, 1)));
}

template <typename Bytes>
void AverageOutputs(const PoolRow& row, const AverageScale* scales,
                    const AverageRounding& rounding, uint8_t* out) {
  constexpr int64_t kWidth = Bytes::kWidth;
  for (int64_t i = 0; i < row.outputs; ++i, out += row.channels) {
    int64_t channel = 0;
    for (; channel + kWidth <= row.channels; channel += kWidth) {
      AverageBlock<Bytes>(row, row.spans[i], scales[i], rounding, channel, out);
    }
    if (channel < row.channels) {
      AverageBlock<Bytes>(row, row.spans[i], scales[i], rounding,
                          row.channels - kWidth, out);
    }
  }
}

// A channel at a time, in the first lane.
void AverageFewChannels(const PoolRow& row, const AverageScale* scales,
                        const AverageRounding& rounding, uint8_t* out) {
  for (int64_t i = 0; i < row.outputs; ++i) {
    const PoolSpan& span = row.spans[i];
    for (int64_t channel = 0; channel < row.channels; ++channel) {
      uint32_t sum = 0;
      for (int64_t r = 0; r < row.row_count; ++r) {
        const uint8_t* pixel = row.rows[r] + span.offset + channel;
        for (int64_t k = 0; k < span.count; ++k, pixel += row.step) {
          sum += *pixel;
        }
      }
      const __m128i code = _mm256_castsi256_si128(Round(
          _mm256_set1_epi32(static_cast<int32_t>(sum)), scales[i], rounding));
      const __m128i words = _mm_packs_epi32(code, code);
      *out++ = static_cast<uint8_t>(
          _mm_cvtsi128_si32(_mm_packus_epi16(words, words)));
    }
  }
}

}  // namespace

void MaxPoolRowAvx2(const PoolRow& row, uint8_t* out) {
  if (row.channels >= Bytes32::kWidth) {
    MaxOutputs<Bytes32, 4>(row, out);
  } else if (row.channels >= Bytes16::kWidth) {
    MaxOutputs<Bytes16, 1>(row, out);
  } else if (row.channels >= Bytes8::kWidth) {
    MaxOutputs<Bytes8, 1>(row, out);
  } else {
    MaxOutputs<Byte, 1>(row, out);
  }
}

void AveragePoolRowAvx2(const PoolRow& row, const AverageScale* scales,
                        const AverageRounding& rounding, uint8_t* out) {
  if (row.channels >= Bytes16::kWidth) {
    AverageOutputs<Bytes16>(row, scales, rounding, out);
  } else if (row.channels >= Bytes8::kWidth) {
    AverageOutputs<Bytes8>(row, scales, rounding, out);
  } else {
    AverageFewChannels(row, scales, rounding, out);
  }
}

}  // namespace ns::kernels
