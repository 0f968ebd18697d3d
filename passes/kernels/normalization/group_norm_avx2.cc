#include <immintrin.h>

#include <cstring>

#include "passes/kernels/normalization/group_norm_kernels.h"
#include "passes/kernels/quantize_code_simd.h"

namespace ns::kernels {
namespace {

constexpr int64_t kWidth = 8;  // floats of a vector

__m256i Widen(const uint8_t* codes) {
  return _mm256_cvtepu8_epi32(
      _mm_loadl_epi64(reinterpret_cast<const __m128i*>(codes)));
}

// The next eight values; or one, eight times.
template <bool kEach>
__m256 Load(const float* values) {
  return kEach ? _mm256_loadu_ps(values) : _mm256_broadcast_ss(values);
}

// Of eight codes, before saturating; `by` is theirs from `i` on.
template <bool kEach>
__m256i NormalizeEight(const uint8_t* codes, int64_t i,
                       const ChannelNormalization& by) {
  const int64_t at = kEach ? i : 0;
  const __m256 centred = _mm256_sub_ps(_mm256_cvtepi32_ps(Widen(codes + i)),
                                       Load<kEach>(by.means + at));
  const __m256 y = _mm256_fmadd_ps(centred, Load<kEach>(by.factors + at),
                                   Load<kEach>(by.biases + at));
  return RoundCodes(_mm256_mul_ps(y, _mm256_set1_ps(by.multiplier)),
                    _mm256_set1_epi32(by.zero_point));
}

template <bool kEach>
void StoreEight(const uint8_t* codes, int64_t i, const ChannelNormalization& by,
                uint8_t* out) {
  const __m256i rounded = NormalizeEight<kEach>(codes, i, by);
  const __m128i words = _mm_packs_epi32(_mm256_castsi256_si128(rounded),
                                        _mm256_extracti128_si256(rounded, 1));
  _mm_storel_epi64(reinterpret_cast<__m128i*>(out + i),
                   _mm_packus_epi16(words, words));
}

template <bool kEach>
void Normalize(const uint8_t* codes, int64_t n,
               const ChannelNormalization& normalization, uint8_t* out) {
  // A copy: stores of bytes could change the original.
  ChannelNormalization by = normalization;
  int64_t i = 0;
  for (; i + 4 * kWidth <= n; i += 4 * kWidth) {
    __m256i rounded[4];
#pragma clang loop unroll(full)
    for (int v = 0; v < 4; ++v) {
      rounded[v] = NormalizeEight<kEach>(codes, i + v * kWidth, by);
    }
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i),
                        PackCodes(rounded));
  }
  for (; i + kWidth <= n; i += kWidth) {
    StoreEight<kEach>(codes, i, by, out);
  }
  if (i == n) {
    return;
  }
  // By way of copies: the last eight are not all there.
  const int64_t count = n - i;
  uint8_t some[kWidth] = {};
  memcpy(some, codes + i, count);
  float parameters[3][kWidth] = {};
  if (kEach) {
    const float* const all[] = {by.means, by.factors, by.biases};
    for (int p = 0; p < 3; ++p) {
      memcpy(parameters[p], all[p] + i, count * sizeof(float));
    }
    by.means = parameters[0];
    by.factors = parameters[1];
    by.biases = parameters[2];
  }
  StoreEight<kEach>(some, 0, by, some);
  memcpy(out + i, some, count);
}

// Of kVectors times eight columns.
template <int kVectors>
void AddBlock(const uint8_t* codes, int64_t lines, int64_t n, uint32_t* sums,
              uint32_t* squares) {
  __m256i sum[kVectors];
  __m256i square[kVectors];
  const auto vector = [](uint32_t* base, int v) {
    return reinterpret_cast<__m256i*>(base + v * kWidth);
  };
#pragma clang loop unroll(full)
  for (int v = 0; v < kVectors; ++v) {
    sum[v] = _mm256_loadu_si256(vector(sums, v));
    square[v] = _mm256_loadu_si256(vector(squares, v));
  }
  for (int64_t line = 0; line < lines; ++line) {
    const uint8_t* const row = codes + line * n;
#pragma clang loop unroll(full)
    for (int v = 0; v < kVectors; ++v) {
      const __m256i wide = Widen(row + v * kWidth);
      sum[v] = _mm256_add_epi32(sum[v], wide);
      // Words of codes, of which the upper ones are 0.
      square[v] = _mm256_add_epi32(square[v], _mm256_madd_epi16(wide, wide));
    }
  }
#pragma clang loop unroll(full)
  for (int v = 0; v < kVectors; ++v) {
    _mm256_storeu_si256(vector(sums, v), sum[v]);
    _mm256_storeu_si256(vector(squares, v), square[v]);
  }
}

void AddLines(const uint8_t* codes, int64_t lines, int64_t n, uint32_t* sums,
              uint32_t* squares) {
  constexpr int kVectors = 4;
  int64_t i = 0;
  for (; i + kVectors * kWidth <= n; i += kVectors * kWidth) {
    AddBlock<kVectors>(codes + i, lines, n, sums + i, squares + i);
  }
  for (; i + kWidth <= n; i += kWidth) {
    AddBlock<1>(codes + i, lines, n, sums + i, squares + i);
  }
  for (; i < n; ++i) {
    for (int64_t line = 0; line < lines; ++line) {
      const uint32_t code = codes[line * n + i];
      sums[i] += code;
      squares[i] += code * code;
    }
  }
}

}  // namespace

GroupNormKernels GroupNormAvx2() {
  return {Normalize</*kEach=*/false>, Normalize</*kEach=*/true>, AddLines};
}

}  // namespace ns::kernels
