#include <immintrin.h>

#include "passes/lowering/kernels/normalization/group_norm_kernels.h"
#include "passes/lowering/kernels/quantize_code_simd.h"

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

template <bool kEach>
void Normalize(const uint8_t* codes, int64_t n,
               const ChannelNormalization& normalization, uint8_t* out) {
  // A copy: stores of bytes could change the original.
  const ChannelNormalization by = normalization;
  const __m512 multiplier = _mm512_set1_ps(by.multiplier);
  const __m512i zero_point = _mm512_set1_epi32(by.zero_point);
  for (int64_t i = 0; i < n; i += kWidth) {
    const __mmask16 lanes = Lowest(n - i);
    const __m512 centred =
        _mm512_sub_ps(_mm512_cvtepi32_ps(Widen(codes + i, lanes)),
                      Load<kEach>(by.means, i, lanes));
    const __m512 y = _mm512_fmadd_ps(centred, Load<kEach>(by.factors, i, lanes),
                                     Load<kEach>(by.biases, i, lanes));
    const __m512i rounded =
        RoundCodes(_mm512_mul_ps(y, multiplier), zero_point);
    // Saturates what is not negative.
    _mm512_mask_cvtusepi32_storeu_epi8(
        out + i, lanes, _mm512_max_epi32(rounded, _mm512_setzero_si512()));
  }
}

void AddPosition(const uint8_t* codes, int64_t n, uint32_t* sums,
                 uint32_t* squares) {
  for (int64_t i = 0; i < n; i += kWidth) {
    const __mmask16 lanes = Lowest(n - i);
    const __m512i wide = Widen(codes + i, lanes);
    const __m512i sum = _mm512_maskz_loadu_epi32(lanes, sums + i);
    const __m512i square = _mm512_maskz_loadu_epi32(lanes, squares + i);
    _mm512_mask_storeu_epi32(sums + i, lanes, _mm512_add_epi32(sum, wide));
    // Words of codes, of which the upper ones are 0.
    _mm512_mask_storeu_epi32(
        squares + i, lanes,
        _mm512_add_epi32(square, _mm512_madd_epi16(wide, wide)));
  }
}

}  // namespace

GroupNormKernels GroupNormAvx512() {
  return {Normalize</*kEach=*/false>, Normalize</*kEach=*/true>, AddPosition};
}

}  // namespace ns::kernels
