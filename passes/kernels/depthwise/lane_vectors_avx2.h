// The vectors of lane_simd.h in AVX2, for sources of that instruction set only:
// what is here is local to them.
#ifndef PASSES_KERNELS_DEPTHWISE_LANE_VECTORS_AVX2_H_
#define PASSES_KERNELS_DEPTHWISE_LANE_VECTORS_AVX2_H_

#include <immintrin.h>

#include <cstdint>
#include <cstring>

namespace ns::kernels {
namespace {

struct Avx2 {
  static constexpr int kBytes = 32;
  static constexpr int kLanes = 2;
  // Vectors of sums that registers have room for.
  static constexpr int kSums = 8;

  // vpdpbusd, and registers enough to keep interleaved inputs.
  static constexpr bool kHas3x3 = false;

  using Ints = __m256i;
  using Floats = __m256;

  static Ints Zero() { return _mm256_setzero_si256(); }
  static Ints SetBytes(char value) { return _mm256_set1_epi8(value); }
  static Ints SetShorts(int16_t value) { return _mm256_set1_epi16(value); }
  static Ints SetInts(int32_t value) { return _mm256_set1_epi32(value); }
  static Floats SetFloats(float value) { return _mm256_set1_ps(value); }

  static Ints Load(const void* from) {
    return _mm256_loadu_si256(static_cast<const __m256i*>(from));
  }
  static Floats LoadFloats(const float* from) { return _mm256_loadu_ps(from); }
  static void Store(void* to, Ints a) {
    _mm256_storeu_si256(static_cast<__m256i*>(to), a);
  }

  static Ints LoadLanes(const uint8_t* const (&from)[2]) {
    return _mm256_inserti128_si256(_mm256_castsi128_si256(LoadLane(from[0])),
                                   LoadLane(from[1]), 1);
  }
  // The first `count` bytes of each, and zeros.
  static Ints LoadLanes(const uint8_t* const (&from)[2], int count) {
    alignas(32) uint8_t bytes[32] = {};
    memcpy(bytes, from[0], count);
    memcpy(bytes + 16, from[1], count);
    return Load(bytes);
  }
  static void StoreLanes(uint8_t* const (&to)[2], Ints a) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to[0]),
                     _mm256_castsi256_si128(a));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to[1]),
                     _mm256_extracti128_si256(a, 1));
  }
  static void StoreLanes(uint8_t* const (&to)[2], int count, Ints a) {
    alignas(32) uint8_t bytes[32];
    Store(bytes, a);
    memcpy(to[0], bytes, count);
    memcpy(to[1], bytes + 16, count);
  }

  static Ints UnpackLowBytes(Ints a, Ints b) {
    return _mm256_unpacklo_epi8(a, b);
  }
  static Ints UnpackHighBytes(Ints a, Ints b) {
    return _mm256_unpackhi_epi8(a, b);
  }
  static Ints UnpackLowShorts(Ints a, Ints b) {
    return _mm256_unpacklo_epi16(a, b);
  }
  static Ints UnpackHighShorts(Ints a, Ints b) {
    return _mm256_unpackhi_epi16(a, b);
  }
  template <int kOrder>
  static Ints ShuffleInts(Ints a) {
    return _mm256_shuffle_epi32(a, kOrder);
  }
  // Saturating.
  static Ints PackInts(Ints a, Ints b) { return _mm256_packs_epi32(a, b); }
  static Ints PackShorts(Ints a, Ints b) { return _mm256_packus_epi16(a, b); }
  static Ints AddShorts(Ints a, Ints b) { return _mm256_adds_epi16(a, b); }

  static Ints And(Ints a, Ints b) { return _mm256_and_si256(a, b); }
  static Ints Xor(Ints a, Ints b) { return _mm256_xor_si256(a, b); }
  static Ints ShiftRightShorts(Ints a, int bits) {
    return _mm256_srli_epi16(a, bits);
  }
  static Ints MinBytes(Ints a, Ints b) { return _mm256_min_epu8(a, b); }
  static Ints MaxBytes(Ints a, Ints b) { return _mm256_max_epu8(a, b); }
  // Whether some byte of `a`, without a sign, is above that of `b`.
  static bool AnyAbove(Ints a, Ints b) {
    const Ints above = _mm256_subs_epu8(a, b);
    return _mm256_testz_si256(above, above) == 0;
  }

  static Ints AddInts(Ints a, Ints b) { return _mm256_add_epi32(a, b); }
  static Ints SubtractInts(Ints a, Ints b) { return _mm256_sub_epi32(a, b); }
  static Ints MultiplyInts(Ints a, Ints b) { return _mm256_mullo_epi32(a, b); }
  // Sums of neighbours' products: 16 bits to 32, and bytes, of `b` with a sign,
  // to 16 that saturate.
  static Ints MultiplyShorts(Ints a, Ints b) { return _mm256_madd_epi16(a, b); }
  static Ints MultiplyBytes(Ints a, Ints b) {
    return _mm256_maddubs_epi16(a, b);
  }

  static Floats ToFloats(Ints a) { return _mm256_cvtepi32_ps(a); }
  static Ints Round(Floats a) { return _mm256_cvtps_epi32(a); }
  static Ints Bits(Floats a) { return _mm256_castps_si256(a); }
  static Floats Multiply(Floats a, Floats b) { return _mm256_mul_ps(a, b); }
  static Floats MultiplyAdd(Floats a, Floats b, Floats c) {
    return _mm256_fmadd_ps(a, b, c);
  }
  static Floats MinFloats(Floats a, Floats b) { return _mm256_min_ps(a, b); }
  static Floats MaxFloats(Floats a, Floats b) { return _mm256_max_ps(a, b); }

 private:
  static __m128i LoadLane(const uint8_t* from) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  }
};

}  // namespace
}  // namespace ns::kernels

#endif  // PASSES_KERNELS_DEPTHWISE_LANE_VECTORS_AVX2_H_
