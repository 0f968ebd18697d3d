#include <immintrin.h>

#include "passes/kernels/normalization/group_norm_kernels.h"
#include "passes/kernels/quantize_code_simd.h"

namespace ns::kernels {
namespace {

constexpr int64_t kWidth = 16;  // floats of a vector

// The lowest `count` of 16; more is all.
__mmask16 Lowest(int64_t count) {
  return count >= kWidth ? 0xffff : static_cast<__mmask16>((1 << count) - 1);
}

__m512i Widen(const uint8_t* codes, __mmask16 lanes) {
  return _mm512_cvtepu8_epi32(_mm_maskz_loadu_epi8(lanes, codes));
}

template <bool kEach>
__m512 Load(const float* values, int64_t i, __mmask16 lanes) {
  return kEach ? _mm512_maskz_loadu_ps(lanes, values + i)
               : _mm512_set1_ps(values[0]);
}

// Before saturating.
template <bool kEach>
__m512i NormalizeSixteen(const uint8_t* codes, int64_t i, __mmask16 lanes,
                         const ChannelNormalization& by) {
  const __m512 centred =
      _mm512_sub_ps(_mm512_cvtepi32_ps(Widen(codes + i, lanes)),
                    Load<kEach>(by.means, i, lanes));
  const __m512 y = _mm512_fmadd_ps(centred, Load<kEach>(by.factors, i, lanes),
                                   Load<kEach>(by.biases, i, lanes));
  return RoundCodes(_mm512_mul_ps(y, _mm512_set1_ps(by.multiplier)),
                    _mm512_set1_epi32(by.zero_point));
}

template <bool kEach>
void Normalize(const uint8_t* codes, int64_t n,
               const ChannelNormalization& normalization, uint8_t* out) {
  // A copy: stores of bytes could change the original.
  const ChannelNormalization by = normalization;
  int64_t i = 0;
  for (; i + 4 * kWidth <= n; i += 4 * kWidth) {
    __m512i rounded[4];
#pragma clang loop unroll(full)
    for (int v = 0; v < 4; ++v) {
      rounded[v] = NormalizeSixteen<kEach>(codes, i + v * kWidth, 0xffff, by);
    }
    _mm512_storeu_si512(out + i, PackCodes(rounded));
  }
  for (; i < n; i += kWidth) {
    const __mmask16 lanes = Lowest(n - i);
    const __m512i rounded = NormalizeSixteen<kEach>(codes, i, lanes, by);
    // Saturates what is not negative.
    _mm512_mask_cvtusepi32_storeu_epi8(
        out + i, lanes, _mm512_max_epi32(rounded, _mm512_setzero_si512()));
  }
}

// Of kVectors times 16 columns, of the last of which `lanes`.
template <int kVectors>
void AddBlock(const uint8_t* codes, int64_t lines, int64_t n, __mmask16 lanes,
              uint32_t* sums, uint32_t* squares) {
  __m512i sum[kVectors];
  __m512i square[kVectors];
  const auto lanes_of = [lanes](int v) {
    return v + 1 < kVectors ? __mmask16{0xffff} : lanes;
  };
#pragma clang loop unroll(full)
  for (int v = 0; v < kVectors; ++v) {
    sum[v] = _mm512_maskz_loadu_epi32(lanes_of(v), sums + v * kWidth);
    square[v] = _mm512_maskz_loadu_epi32(lanes_of(v), squares + v * kWidth);
  }
  for (int64_t line = 0; line < lines; ++line) {
    const uint8_t* const row = codes + line * n;
#pragma clang loop unroll(full)
    for (int v = 0; v < kVectors; ++v) {
      const __m512i wide = Widen(row + v * kWidth, lanes_of(v));
      sum[v] = _mm512_add_epi32(sum[v], wide);
      // Words of codes, of which the upper ones are 0.
      square[v] = _mm512_add_epi32(square[v], _mm512_madd_epi16(wide, wide));
    }
  }
#pragma clang loop unroll(full)
  for (int v = 0; v < kVectors; ++v) {
    _mm512_mask_storeu_epi32(sums + v * kWidth, lanes_of(v), sum[v]);
    _mm512_mask_storeu_epi32(squares + v * kWidth, lanes_of(v), square[v]);
  }
}

void AddLines(const uint8_t* codes, int64_t lines, int64_t n, uint32_t* sums,
              uint32_t* squares) {
  constexpr int kVectors = 4;
  int64_t i = 0;
  for (; i + kVectors * kWidth <= n; i += kVectors * kWidth) {
    AddBlock<kVectors>(codes + i, lines, n, 0xffff, sums + i, squares + i);
  }
  for (; i < n; i += kWidth) {
    AddBlock<1>(codes + i, lines, n, Lowest(n - i), sums + i, squares + i);
  }
}

}  // namespace

GroupNormKernels GroupNormAvx512() {
  return {Normalize</*kEach=*/false>, Normalize</*kEach=*/true>, AddLines};
}

}  // namespace ns::kernels
