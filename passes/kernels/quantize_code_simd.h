// quantize_code.h in vectors. Static, for sources of one instruction set: the
// linker must not share what is compiled for another.
#ifndef PASSES_KERNELS_QUANTIZE_CODE_SIMD_H_
#define PASSES_KERNELS_QUANTIZE_CODE_SIMD_H_

#include <immintrin.h>

namespace ns::kernels {

// `scaled` is the product of QuantizeCode; the result is its code before it
// saturates. The order of min's operands decides about nan.
#if defined(__AVX2__)
static inline __m256i RoundCodes(__m256 scaled, __m256i zero_point) {
  const __m256 clipped = _mm256_min_ps(scaled, _mm256_set1_ps(2147483520.0f));
  return _mm256_add_epi32(_mm256_cvtps_epi32(clipped), zero_point);
}

// What RoundCodes gave for 32 codes, saturated.
static inline __m256i PackCodes(const __m256i (&rounded)[4]) {
  // Undoes that packing works within 128 bits.
  const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
  return _mm256_permutevar8x32_epi32(
      _mm256_packus_epi16(_mm256_packs_epi32(rounded[0], rounded[1]),
                          _mm256_packs_epi32(rounded[2], rounded[3])),
      order);
}
#endif

#if defined(__AVX512F__)
static inline __m512i RoundCodes(__m512 scaled, __m512i zero_point) {
  const __m512 clipped = _mm512_min_ps(scaled, _mm512_set1_ps(2147483520.0f));
  return _mm512_add_epi32(_mm512_cvtps_epi32(clipped), zero_point);
}

// What RoundCodes gave for 64 codes, saturated.
static inline __m512i PackCodes(const __m512i (&rounded)[4]) {
  // Undoes that packing works within 128 bits.
  const __m512i order =
      _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  return _mm512_permutexvar_epi32(
      order, _mm512_packus_epi16(_mm512_packs_epi32(rounded[0], rounded[1]),
                                 _mm512_packs_epi32(rounded[2], rounded[3])));
}
#endif

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_QUANTIZE_CODE_SIMD_H_
