#include <immintrin.h>

#include <cstring>

#include "passes/kernels/normalization/layer_norm_kernels.h"
#include "passes/kernels/quantize_code_simd.h"

namespace ns::kernels {
namespace {

constexpr int64_t kWidth = 8;  // floats of a vector

// Before saturating, of eight codes.
__m256i NormalizeEight(const uint8_t* codes, const float* weight,
                       const float* bias, const Normalization& by) {
  const __m256 real = _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(
      _mm_loadl_epi64(reinterpret_cast<const __m128i*>(codes))));
  const __m256 centred = _mm256_sub_ps(real, _mm256_set1_ps(by.mean));
  const __m256 y = _mm256_fmadd_ps(
      _mm256_mul_ps(centred, _mm256_set1_ps(by.rstd)),
      weight == nullptr ? _mm256_set1_ps(1.0f) : _mm256_loadu_ps(weight),
      bias == nullptr ? _mm256_setzero_ps() : _mm256_loadu_ps(bias));
  return RoundCodes(_mm256_mul_ps(y, _mm256_set1_ps(by.multiplier)),
                    _mm256_set1_epi32(by.zero_point));
}

const float* Plus(const float* base, int64_t i) {
  return base == nullptr ? nullptr : base + i;
}

int64_t AddLanes(__m256i lanes) {
  int64_t four[4];
  memcpy(four, &lanes, sizeof(four));
  return four[0] + four[1] + four[2] + four[3];
}

}  // namespace

CodeSums SumCodesAvx2(const uint8_t* codes, int64_t n) {
  constexpr int64_t kCodes = 32;
  // A lane of squares takes up to 4 * 255 * 255 of each vector of codes.
  constexpr int64_t kChunk = 8192 * kCodes;
  const __m256i zero = _mm256_setzero_si256();
  CodeSums sums = {0, 0};
  int64_t i = 0;
  while (n - i >= kCodes) {
    const int64_t end = n - i < kChunk ? n : i + kChunk;
    __m256i sum = zero;
    __m256i squares = zero;
    for (; i + kCodes <= end; i += kCodes) {
      const __m256i vector =
          _mm256_loadu_si256(reinterpret_cast<const __m256i*>(codes + i));
      const __m256i low = _mm256_unpacklo_epi8(vector, zero);
      const __m256i high = _mm256_unpackhi_epi8(vector, zero);
      sum = _mm256_add_epi64(sum, _mm256_sad_epu8(vector, zero));
      squares = _mm256_add_epi32(
          squares, _mm256_add_epi32(_mm256_madd_epi16(low, low),
                                    _mm256_madd_epi16(high, high)));
    }
    // Lanes are unsigned: they may be above 2^31.
    const __m256i wide = _mm256_add_epi64(
        _mm256_and_si256(squares, _mm256_set1_epi64x(0xffffffff)),
        _mm256_srli_epi64(squares, 32));
    sums.sum += AddLanes(sum);
    sums.sum_of_squares += AddLanes(wide);
  }
  for (; i < n; ++i) {
    sums.sum += codes[i];
    sums.sum_of_squares += codes[i] * codes[i];
  }
  return sums;
}

void NormalizeAvx2(const uint8_t* codes, int64_t n,
                   const Normalization& normalization, uint8_t* out) {
  // A copy: stores of bytes could change the original.
  const Normalization by = normalization;
  int64_t i = 0;
  for (; i + 4 * kWidth <= n; i += 4 * kWidth) {
    __m256i rounded[4];
#pragma clang loop unroll(full)
    for (int v = 0; v < 4; ++v) {
      const int64_t at = i + v * kWidth;
      rounded[v] = NormalizeEight(codes + at, Plus(by.weight, at),
                                  Plus(by.bias, at), by);
    }
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i),
                        PackCodes(rounded));
  }
  for (; i < n; i += kWidth) {
    // By way of copies: the last eight may not be all there.
    const int64_t count = n - i < kWidth ? n - i : kWidth;
    uint8_t some[kWidth] = {};
    float weight[kWidth] = {};
    float bias[kWidth] = {};
    memcpy(some, codes + i, count);
    if (by.weight != nullptr) {
      memcpy(weight, by.weight + i, count * sizeof(float));
    }
    if (by.bias != nullptr) {
      memcpy(bias, by.bias + i, count * sizeof(float));
    }
    const __m256i rounded =
        NormalizeEight(some, by.weight == nullptr ? nullptr : weight,
                       by.bias == nullptr ? nullptr : bias, by);
    const __m128i words = _mm_packs_epi32(_mm256_castsi256_si128(rounded),
                                          _mm256_extracti128_si256(rounded, 1));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(some),
                     _mm_packus_epi16(words, words));
    memcpy(out + i, some, count);
  }
}

}  // namespace ns::kernels
