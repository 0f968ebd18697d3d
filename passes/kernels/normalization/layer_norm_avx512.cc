#include <immintrin.h>

#include "passes/kernels/normalization/layer_norm_kernels.h"
#include "passes/kernels/quantize_code_simd.h"

namespace ns::kernels {
namespace {

constexpr int64_t kWidth = 16;  // floats of a vector

// The lowest `count` of 16; more is all, less than none is none.
__mmask16 Lowest(int64_t count) {
  return count >= kWidth
             ? 0xffff
             : static_cast<__mmask16>((1 << (count > 0 ? count : 0)) - 1);
}

// Before saturating, of 16 codes in s32; what `lanes` does not have is not
// read.
__m512i NormalizeSixteen(__m512i codes, int64_t i, __mmask16 lanes,
                         const Normalization& by) {
  const __m512 weight = by.weight == nullptr
                            ? _mm512_set1_ps(1.0f)
                            : _mm512_maskz_loadu_ps(lanes, by.weight + i);
  const __m512 bias = by.bias == nullptr
                          ? _mm512_setzero_ps()
                          : _mm512_maskz_loadu_ps(lanes, by.bias + i);
  const __m512 centred =
      _mm512_sub_ps(_mm512_cvtepi32_ps(codes), _mm512_set1_ps(by.mean));
  const __m512 y = _mm512_fmadd_ps(
      _mm512_mul_ps(centred, _mm512_set1_ps(by.rstd)), weight, bias);
  return RoundCodes(_mm512_mul_ps(y, _mm512_set1_ps(by.multiplier)),
                    _mm512_set1_epi32(by.zero_point));
}

__m512i Widen(const uint8_t* at) {
  return _mm512_cvtepu8_epi32(
      _mm_loadu_si128(reinterpret_cast<const __m128i*>(at)));
}

}  // namespace

CodeSums SumCodesAvx512(const uint8_t* codes, int64_t n) {
  constexpr int64_t kCodes = 64;
  // A lane of squares takes up to 4 * 255 * 255 of each vector of codes.
  constexpr int64_t kChunk = 8192 * kCodes;
  const __m512i zero = _mm512_setzero_si512();
  CodeSums sums = {0, 0};
  for (int64_t begin = 0; begin < n; begin += kChunk) {
    const int64_t end = n - begin < kChunk ? n : begin + kChunk;
    __m512i sum = zero;
    __m512i squares = zero;
    for (int64_t i = begin; i < end; i += kCodes) {
      const __m512i vector =
          end - i >= kCodes
              ? _mm512_loadu_si512(codes + i)
              : _mm512_maskz_loadu_epi8((1ULL << (end - i)) - 1, codes + i);
      const __m512i low = _mm512_unpacklo_epi8(vector, zero);
      const __m512i high = _mm512_unpackhi_epi8(vector, zero);
      sum = _mm512_add_epi64(sum, _mm512_sad_epu8(vector, zero));
      squares = _mm512_add_epi32(
          squares, _mm512_add_epi32(_mm512_madd_epi16(low, low),
                                    _mm512_madd_epi16(high, high)));
    }
    // Lanes are unsigned: they may be above 2^31.
    const __m512i wide = _mm512_add_epi64(
        _mm512_and_si512(squares, _mm512_set1_epi64(0xffffffff)),
        _mm512_srli_epi64(squares, 32));
    sums.sum += _mm512_reduce_add_epi64(sum);
    sums.sum_of_squares += _mm512_reduce_add_epi64(wide);
  }
  return sums;
}

void NormalizeAvx512(const uint8_t* codes, int64_t n,
                     const Normalization& normalization, uint8_t* out) {
  // A copy: stores of bytes could change the original.
  const Normalization by = normalization;
  constexpr __mmask16 kAll = 0xffff;
  int64_t i = 0;
  for (; i + 4 * kWidth <= n; i += 4 * kWidth) {
    __m512i rounded[4];
#pragma clang loop unroll(full)
    for (int v = 0; v < 4; ++v) {
      const int64_t at = i + v * kWidth;
      rounded[v] = NormalizeSixteen(Widen(codes + at), at, kAll, by);
    }
    _mm512_storeu_si512(out + i, PackCodes(rounded));
  }
  for (; i < n; i += kWidth) {
    const __mmask16 lanes = Lowest(n - i);
    const __m512i wide =
        _mm512_cvtepu8_epi32(_mm_maskz_loadu_epi8(lanes, codes + i));
    const __m512i rounded = NormalizeSixteen(wide, i, lanes, by);
    // Saturates what is not negative.
    _mm512_mask_cvtusepi32_storeu_epi8(
        out + i, lanes, _mm512_max_epi32(rounded, _mm512_setzero_si512()));
  }
}

}  // namespace ns::kernels
