// The vectors of lane_simd.h in AVX512, for sources of that instruction set
// only: what is here is local to them.
#ifndef PASSES_KERNELS_DEPTHWISE_LANE_VECTORS_AVX512_H_
#define PASSES_KERNELS_DEPTHWISE_LANE_VECTORS_AVX512_H_

#include <immintrin.h>

#include <cstdint>

namespace ns::kernels {
namespace {

struct Avx512 {
  static constexpr int kBytes = 64;
  static constexpr int kLanes = 4;
  // Vectors of sums that registers have room for.
  static constexpr int kSums = 16;

  // vpdpbusd, and registers enough to keep interleaved inputs.
  static constexpr bool kHas3x3 = false;

  using Ints = __m512i;
  using Floats = __m512;

  static Ints Zero() { return _mm512_setzero_si512(); }
  static Ints SetBytes(char value) { return _mm512_set1_epi8(value); }
  static Ints SetShorts(int16_t value) { return _mm512_set1_epi16(value); }
  static Ints SetInts(int32_t value) { return _mm512_set1_epi32(value); }
  static Floats SetFloats(float value) { return _mm512_set1_ps(value); }

  static Ints Load(const void* from) { return _mm512_loadu_si512(from); }
  static Floats LoadFloats(const float* from) { return _mm512_loadu_ps(from); }
  static void Store(void* to, Ints a) { _mm512_storeu_si512(to, a); }

  static Ints OfLanes(__m128i a, __m128i b, __m128i c, __m128i d) {
    return _mm512_inserti64x4(
        _mm512_castsi256_si512(
            _mm256_inserti128_si256(_mm256_castsi128_si256(a), b, 1)),
        _mm256_inserti128_si256(_mm256_castsi128_si256(c), d, 1), 1);
  }
  static __m128i LoadLane(const uint8_t* from) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  }
  static Ints LoadLanes(const uint8_t* const (&from)[4]) {
    return OfLanes(LoadLane(from[0]), LoadLane(from[1]), LoadLane(from[2]),
                   LoadLane(from[3]));
  }
  // The first `count` bytes of each, and zeros.
  static Ints LoadLanes(const uint8_t* const (&from)[4], int count) {
    const __mmask16 some = FirstBytes(count);
    return OfLanes(_mm_maskz_loadu_epi8(some, from[0]),
                   _mm_maskz_loadu_epi8(some, from[1]),
                   _mm_maskz_loadu_epi8(some, from[2]),
                   _mm_maskz_loadu_epi8(some, from[3]));
  }
  static void StoreLanes(uint8_t* const (&to)[4], Ints a) {
    StoreLane(to[0], _mm512_castsi512_si128(a));
    StoreLane(to[1], _mm512_extracti32x4_epi32(a, 1));
    StoreLane(to[2], _mm512_extracti32x4_epi32(a, 2));
    StoreLane(to[3], _mm512_extracti32x4_epi32(a, 3));
  }
  static void StoreLanes(uint8_t* const (&to)[4], int count, Ints a) {
    const __mmask16 some = FirstBytes(count);
    _mm_mask_storeu_epi8(to[0], some, _mm512_castsi512_si128(a));
    _mm_mask_storeu_epi8(to[1], some, _mm512_extracti32x4_epi32(a, 1));
    _mm_mask_storeu_epi8(to[2], some, _mm512_extracti32x4_epi32(a, 2));
    _mm_mask_storeu_epi8(to[3], some, _mm512_extracti32x4_epi32(a, 3));
  }

  static Ints UnpackLowBytes(Ints a, Ints b) {
    return _mm512_unpacklo_epi8(a, b);
  }
  static Ints UnpackHighBytes(Ints a, Ints b) {
    return _mm512_unpackhi_epi8(a, b);
  }
  static Ints UnpackLowShorts(Ints a, Ints b) {
    return _mm512_unpacklo_epi16(a, b);
  }
  static Ints UnpackHighShorts(Ints a, Ints b) {
    return _mm512_unpackhi_epi16(a, b);
  }
  template <int kOrder>
  static Ints ShuffleInts(Ints a) {
    return _mm512_shuffle_epi32(a, static_cast<_MM_PERM_ENUM>(kOrder));
  }
  // Saturating.
  static Ints PackInts(Ints a, Ints b) { return _mm512_packs_epi32(a, b); }
  static Ints PackShorts(Ints a, Ints b) { return _mm512_packus_epi16(a, b); }
  static Ints AddShorts(Ints a, Ints b) { return _mm512_adds_epi16(a, b); }

  static Ints And(Ints a, Ints b) { return _mm512_and_si512(a, b); }
  static Ints Xor(Ints a, Ints b) { return _mm512_xor_si512(a, b); }
  static Ints ShiftRightShorts(Ints a, int bits) {
    return _mm512_srli_epi16(a, bits);
  }
  static Ints MinBytes(Ints a, Ints b) { return _mm512_min_epu8(a, b); }
  static Ints MaxBytes(Ints a, Ints b) { return _mm512_max_epu8(a, b); }
  // Whether some byte of `a`, without a sign, is above that of `b`.
  static bool AnyAbove(Ints a, Ints b) {
    return _mm512_cmpgt_epu8_mask(a, b) != 0;
  }

  static Ints AddInts(Ints a, Ints b) { return _mm512_add_epi32(a, b); }
  static Ints SubtractInts(Ints a, Ints b) { return _mm512_sub_epi32(a, b); }
  static Ints MultiplyInts(Ints a, Ints b) { return _mm512_mullo_epi32(a, b); }
  // Sums of neighbours' products: 16 bits to 32, and bytes, of `b` with a sign,
  // to 16 that saturate.
  static Ints MultiplyShorts(Ints a, Ints b) { return _mm512_madd_epi16(a, b); }
  static Ints MultiplyBytes(Ints a, Ints b) {
    return _mm512_maddubs_epi16(a, b);
  }

  static Floats ToFloats(Ints a) { return _mm512_cvtepi32_ps(a); }
  static Ints Round(Floats a) { return _mm512_cvtps_epi32(a); }
  static Ints Bits(Floats a) { return _mm512_castps_si512(a); }
  static Floats Multiply(Floats a, Floats b) { return _mm512_mul_ps(a, b); }
  static Floats MultiplyAdd(Floats a, Floats b, Floats c) {
    return _mm512_fmadd_ps(a, b, c);
  }
  static Floats MinFloats(Floats a, Floats b) { return _mm512_min_ps(a, b); }
  static Floats MaxFloats(Floats a, Floats b) { return _mm512_max_ps(a, b); }

 private:
  static __mmask16 FirstBytes(int count) {
    return static_cast<__mmask16>((1u << count) - 1);
  }
  static void StoreLane(uint8_t* to, __m128i a) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), a);
  }
};

}  // namespace
}  // namespace ns::kernels

#endif  // PASSES_KERNELS_DEPTHWISE_LANE_VECTORS_AVX512_H_
