#include <immintrin.h>

#include "passes/lowering/kernels/pooling/pool_kernels.h"
#include "passes/lowering/kernels/quantize_code_simd.h"

namespace ns::kernels {
namespace {

// Channels of a vector, and the most vectors that a pass over the pixels takes.
constexpr int64_t kWidth = 64;
constexpr int64_t kMaxBlock = 4;
constexpr int64_t kAverageBlock = 2;

// The loads and stores of vector `v` of a block of kVectors, whose last has the
// channels of `mask`: without kMasked, all. (Masked loads of bytes cost more.)
template <int kVectors, bool kMasked>
struct Access {
  static __m512i Load(const uint8_t* at, int v, __mmask64 mask) {
    return kMasked && v == kVectors - 1
               ? _mm512_maskz_loadu_epi8(mask, at + v * kWidth)
               : _mm512_loadu_si512(at + v * kWidth);
  }
  static void Store(uint8_t* at, int v, __mmask64 mask, __m512i value) {
    if (kMasked && v == kVectors - 1) {
      _mm512_mask_storeu_epi8(at + v * kWidth, mask, value);
    } else {
      _mm512_storeu_si512(at + v * kWidth, value);
    }
  }
};

template <int kVectors, bool kMasked>
void MaxBlock(const PoolRow& row, const PoolSpan& span, int64_t channel,
              __mmask64 mask, uint8_t* out) {
  using Block = Access<kVectors, kMasked>;
  __m512i greatest[kVectors];
#pragma clang loop unroll(full)
  for (int v = 0; v < kVectors; ++v) {
    greatest[v] = _mm512_setzero_si512();
  }
  for (int64_t r = 0; r < row.row_count; ++r) {
    const uint8_t* pixel = row.rows[r] + span.offset + channel;
    for (int64_t k = 0; k < span.count; ++k, pixel += row.step) {
#pragma clang loop unroll(full)
      for (int v = 0; v < kVectors; ++v) {
        greatest[v] = _mm512_max_epu8(greatest[v], Block::Load(pixel, v, mask));
      }
    }
  }
#pragma clang loop unroll(full)
  for (int v = 0; v < kVectors; ++v) {
    Block::Store(out + channel, v, mask, greatest[v]);
  }
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

__m512i Round(const Sums& sums, const AverageScale& scale,
              const AverageRounding& rounding) {
  __m512i codes[4];
#pragma clang loop unroll(full)
  for (int i = 0; i < 4; ++i) {
    const __m512 real = _mm512_cvtepi32_ps(
        _mm512_add_epi32(sums.wide[i], _mm512_set1_epi32(scale.start)));
    const __m512 product =
        _mm512_mul_ps(real, _mm512_set1_ps(scale.multiplier));
    codes[i] =
        RoundCodes(_mm512_add_ps(product, _mm512_set1_ps(rounding.addend)),
                   _mm512_set1_epi32(rounding.zero_point));
  }
  return _mm512_packus_epi16(_mm512_packs_epi32(codes[0], codes[1]),
                             _mm512_packs_epi32(codes[2], codes[3]));
}

template <int kVectors, bool kMasked>
void AverageBlock(const PoolRow& row, const PoolSpan& span,
                  const AverageScale& scale, const AverageRounding& rounding,
                  int64_t channel, __mmask64 mask, uint8_t* out) {
  using Block = Access<kVectors, kMasked>;
  // 257 codes fit in 16 bits.
  constexpr int64_t kNarrow = 257;
  const __m512i zero = _mm512_setzero_si512();
  __m512i low[kVectors];
  __m512i high[kVectors];
  Sums sums[kVectors];
#pragma clang loop unroll(full)
  for (int v = 0; v < kVectors; ++v) {
    low[v] = high[v] = zero;
    sums[v] = {{zero, zero, zero, zero}};
  }
  int64_t room = kNarrow;
  for (int64_t r = 0; r < row.row_count; ++r) {
    const uint8_t* pixel = row.rows[r] + span.offset + channel;
    for (int64_t k = 0; k < span.count; ++k, pixel += row.step) {
#pragma clang loop unroll(full)
      for (int v = 0; v < kVectors; ++v) {
        const __m512i codes = Block::Load(pixel, v, mask);
        low[v] = _mm512_add_epi16(low[v], _mm512_unpacklo_epi8(codes, zero));
        high[v] = _mm512_add_epi16(high[v], _mm512_unpackhi_epi8(codes, zero));
      }
      if (--room == 0) {
        room = kNarrow;
#pragma clang loop unroll(full)
        for (int v = 0; v < kVectors; ++v) {
          Widen(low[v], high[v], sums[v]);
          low[v] = high[v] = zero;
        }
      }
    }
  }
#pragma clang loop unroll(full)
  for (int v = 0; v < kVectors; ++v) {
    Widen(low[v], high[v], sums[v]);
    Block::Store(out + channel, v, mask, Round(sums[v], scale, rounding));
  }
}

// The channels that are not in a full block: `vectors` of them, the last
// masked, unless it is full.
struct Rest {
  int64_t vectors;
  bool masked;
  __mmask64 mask;
};

Rest RestOf(int64_t channels) {
  const int64_t last = channels % kWidth;
  return {(channels + kWidth - 1) / kWidth, last != 0, (1ULL << last) - 1};
}

void MaxRest(const PoolRow& row, const PoolSpan& span, int64_t channel,
             const Rest& rest, uint8_t* out) {
  switch (rest.vectors * 2 + (rest.masked ? 1 : 0)) {
    case 2:
      return MaxBlock<1, false>(row, span, channel, rest.mask, out);
    case 3:
      return MaxBlock<1, true>(row, span, channel, rest.mask, out);
    case 4:
      return MaxBlock<2, false>(row, span, channel, rest.mask, out);
    case 5:
      return MaxBlock<2, true>(row, span, channel, rest.mask, out);
    case 6:
      return MaxBlock<3, false>(row, span, channel, rest.mask, out);
    case 7:
      return MaxBlock<3, true>(row, span, channel, rest.mask, out);
    case 9:
      return MaxBlock<4, true>(row, span, channel, rest.mask, out);
    default:
      return;
  }
}

void AverageRest(const PoolRow& row, const PoolSpan& span,
                 const AverageScale& scale, const AverageRounding& rounding,
                 int64_t channel, const Rest& rest, uint8_t* out) {
  switch (rest.vectors * 2 + (rest.masked ? 1 : 0)) {
    case 2:
      return AverageBlock<1, false>(row, span, scale, rounding, channel,
                                    rest.mask, out);
    case 3:
      return AverageBlock<1, true>(row, span, scale, rounding, channel,
                                   rest.mask, out);
    case 5:
      return AverageBlock<2, true>(row, span, scale, rounding, channel,
                                   rest.mask, out);
    default:
      return;
  }
}

}  // namespace

void MaxPoolRowAvx512(const PoolRow& row, uint8_t* out) {
  constexpr int64_t kBlock = kMaxBlock * kWidth;
  const int64_t full = row.channels / kBlock * kBlock;
  const Rest rest = RestOf(row.channels - full);
  for (int64_t i = 0; i < row.outputs; ++i, out += row.channels) {
    for (int64_t channel = 0; channel < full; channel += kBlock) {
      MaxBlock<kMaxBlock, false>(row, row.spans[i], channel, 0, out);
    }
    MaxRest(row, row.spans[i], full, rest, out);
  }
}

void AveragePoolRowAvx512(const PoolRow& row, const AverageScale* scales,
                          const AverageRounding& rounding, uint8_t* out) {
  constexpr int64_t kBlock = kAverageBlock * kWidth;
  const int64_t full = row.channels / kBlock * kBlock;
  const Rest rest = RestOf(row.channels - full);
  for (int64_t i = 0; i < row.outputs; ++i, out += row.channels) {
    for (int64_t channel = 0; channel < full; channel += kBlock) {
      AverageBlock<kAverageBlock, false>(row, row.spans[i], scales[i], rounding,
                                         channel, 0, out);
    }
    AverageRest(row, row.spans[i], scales[i], rounding, full, rest, out);
  }
}

}  // namespace ns::kernels
