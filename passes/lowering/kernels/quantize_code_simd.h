// quantize_code.h in vectors. Static, for sources of one instruction set: the
// linker must not share what is compiled for another.
#ifndef PASSES_LOWERING_KERNELS_QUANTIZE_CODE_SIMD_H_
#define PASSES_LOWERING_KERNELS_QUANTIZE_CODE_SIMD_H_

#include <immintrin.h>

namespace ns::kernels {

// `scaled` is the product of QuantizeCode; the result is its code before it
// saturates. The order of min's operands decides about nan.
#if defined(__AVX2__)
static inline __m256i RoundCodes(__m256 scaled, __m256i zero_point) {
  const __m256 clipped = _mm256_min_ps(scaled, _mm256_set1_ps(2147483520.0f));
  return _mm256_add_epi32(_mm256_cvtps_epi32(clipped), zero_point);
}
#endif

#if defined(__AVX512F__)
static inline __m512i RoundCodes(__m512 scaled, __m512i zero_point) {
  const __m512 clipped = _mm512_min_ps(scaled, _mm512_set1_ps(2147483520.0f));
  return _mm512_add_epi32(_mm512_cvtps_epi32(clipped), zero_point);
}
#endif

}  // namespace ns::kernels

#endif  // PASSES_LOWERING_KERNELS_QUANTIZE_CODE_SIMD_H_
