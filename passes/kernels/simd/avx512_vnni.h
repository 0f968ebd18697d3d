// Vectors of AVX512, as avx512.h has them, with the vpdpbusd of AVX512-VNNI.
#ifndef PASSES_KERNELS_SIMD_AVX512_VNNI_H_
#define PASSES_KERNELS_SIMD_AVX512_VNNI_H_

#include <immintrin.h>

#include "passes/kernels/simd/avx512.h"

namespace ns::kernels {
namespace {

struct Avx512Vnni : Avx512 {
  static constexpr bool kHasDot = true;

  // sum plus four neighbours' products, of u8 in `a` and s8 in `b`.
  static Ints Dot(Ints sum, Ints a, Ints b) {
    return _mm512_dpbusd_epi32(sum, a, b);
  }
};

}  // namespace
}  // namespace ns::kernels

#endif  // PASSES_KERNELS_SIMD_AVX512_VNNI_H_
