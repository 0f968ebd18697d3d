#include <immintrin.h>

#include <cstring>

#include "passes/lowering/kernels/normalization/group_norm_kernels.h"
#include "passes/lowering/kernels/quantize_code_simd.h"

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

// Eight codes; `by` is theirs.
template <bool kEach>
void NormalizeEight(const uint8_t* codes, const ChannelNormalization& by,
                    uint8_t* out) {
  const __m256 centred =
      _mm256_sub_ps(_mm256_cvtepi32_ps(Widen(codes)), Load<kEach>(by.means));
  const __m256 y =
      _mm256_fmadd_ps(centred, Load<kEach>(by.factors), Load<kEach>(by.biases));
  const __m256i rounded =
      RoundCodes(_mm256_mul_ps(y, _mm256_set1_ps(by.multiplier)),
                 _mm256_set1_epi32(by.zero_point));
  const __m128i words = _mm_packs_epi32(_mm256_castsi256_si128(rounded),
                                        _mm256_extracti128_si256(rounded, 1));
  _mm_storel_epi64(reinterpret_cast<__m128i*>(out),
                   _mm_packus_epi16(words, words));
}

template <bool kEach>
void Normalize(const uint8_t* codes, int64_t n,
               const ChannelNormalization& normalization, uint8_t* out) {
  // A copy: stores of bytes could change the original.
  ChannelNormalization by = normalization;
  int64_t i = 0;
  for (; i + kWidth <= n; i += kWidth) {
    NormalizeEight<kEach>(codes + i, by, out + i);
    if (kEach) {
      by.means += kWidth;
      by.factors += kWidth;
      by.biases += kWidth;
    }
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
      memcpy(parameters[p], all[p], count * sizeof(float));
    }
    by.means = parameters[0];
    by.factors = parameters[1];
    by.biases = parameters[2];
  }
  NormalizeEight<kEach>(some, by, some);
  memcpy(out + i, some, count);
}

void AddPosition(const uint8_t* codes, int64_t n, uint32_t* sums,
                 uint32_t* squares) {
  const auto add = [](uint32_t* to, __m256i more) {
    auto* const at = reinterpret_cast<__m256i*>(to);
    _mm256_storeu_si256(at, _mm256_add_epi32(_mm256_loadu_si256(at), more));
  };
  int64_t i = 0;
  for (; i + kWidth <= n; i += kWidth) {
    const __m256i wide = Widen(codes + i);
    add(sums + i, wide);
    // Words of codes, of which the upper ones are 0.
    add(squares + i, _mm256_madd_epi16(wide, wide));
  }
  for (; i < n; ++i) {
    const uint32_t code = codes[i];
    sums[i] += code;
    squares[i] += code * code;
  }
}

}  // namespace

GroupNormKernels GroupNormAvx2() {
  return {Normalize</*kEach=*/false>, Normalize</*kEach=*/true>, AddPosition};
}

}  // namespace ns::kernels
