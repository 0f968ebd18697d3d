// Vectors of AVX2, as avx2.h has them, with the vpdpbusd of AVX-VNNI.
#ifndef PASSES_KERNELS_SIMD_AVX_VNNI_H_
#define PASSES_KERNELS_SIMD_AVX_VNNI_H_

#include <immintrin.h>

#include "passes/kernels/simd/avx2.h"

namespace ns::kernels {
namespace {

struct AvxVnni : Avx2 {
  static constexpr bool kHasDot = true;

  // sum plus four neighbours' products, of u8 in `a` and s8 in `b`.
  static Ints Dot(Ints sum, Ints a, Ints b) {
    return _mm256_dpbusd_avx_epi32(sum, a, b);
  }
};

}  // namespace
}  // namespace ns::kernels

#endif  // PASSES_KERNELS_SIMD_AVX_VNNI_H_
