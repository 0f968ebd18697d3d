// Vectors of AVX2 and FMA for the loops of simd_kernels.h.
#ifndef PASSES_KERNELS_ELEMENTWISE_SIMD_AVX2_H_
#define PASSES_KERNELS_ELEMENTWISE_SIMD_AVX2_H_

#include <immintrin.h>

#include <cstdint>
#include <cstring>

namespace ns::kernels {
namespace {

// As Avx512, of half the width.
struct Avx2 {
  static constexpr int64_t kLanes = 8;
  static constexpr int64_t kBlock = 32;

  using Floats = __m256;
  using Ints = __m256i;
  using Bytes = __m256i;

  // The first `count` lanes, of any count.
  static __m256i Lanes(int64_t count) {
    const int64_t some = count >= kLanes ? kLanes : count;
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int32_t>(some)),
                              _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  }

  // `bytes` after `at`, which may be beyond the end: an integer, as no such
  // pointer may be made, and none is followed.
  static void PrefetchAhead(const float* at, int64_t bytes) {
    const uintptr_t ahead =
        reinterpret_cast<uintptr_t>(at) + static_cast<uintptr_t>(bytes);
    _mm_prefetch(reinterpret_cast<const char*>(ahead), _MM_HINT_T0);
  }

  static Floats SetFloats(float value) { return _mm256_set1_ps(value); }
  static Ints SetInts(int32_t value) { return _mm256_set1_epi32(value); }
  static Ints SetShorts(int32_t value) {
    return _mm256_set1_epi16(static_cast<int16_t>(value));
  }
  static Bytes SetBytes(int32_t value) {
    return _mm256_set1_epi8(static_cast<char>(value));
  }

  static Floats Load(const float* from) { return _mm256_loadu_ps(from); }
  static Floats Load(const float* from, int64_t count) {
    return _mm256_maskload_ps(from, Lanes(count));
  }
  static void Store(float* to, Floats a) { _mm256_storeu_ps(to, a); }
  static void Store(float* to, int64_t count, Floats a) {
    _mm256_maskstore_ps(to, Lanes(count), a);
  }
  static Ints Load(const int32_t* from) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  }
  static Ints Load(const int32_t* from, int64_t count) {
    return _mm256_maskload_epi32(from, Lanes(count));
  }
  static Bytes LoadBytes(const void* from) {
    return _mm256_loadu_si256(static_cast<const __m256i*>(from));
  }
  static Bytes LoadBytes(const void* from, int64_t count) {
    uint8_t bytes[kBlock] = {};
    std::memcpy(bytes, from, static_cast<size_t>(count));
    return LoadBytes(bytes);
  }
  static void StoreBytes(void* to, Bytes a) {
    _mm256_storeu_si256(static_cast<__m256i*>(to), a);
  }
  static void StoreBytes(void* to, int64_t count, Bytes a) {
    uint8_t bytes[kBlock];
    StoreBytes(bytes, a);
    std::memcpy(to, bytes, static_cast<size_t>(count));
  }

  template <typename Code>
  static Floats Zero(int32_t zero_point, Code /*tag*/) {
    return SetFloats(static_cast<float>(zero_point));
  }
  static __m256i Widen(__m128i codes, uint8_t /*tag*/) {
    return _mm256_cvtepu8_epi32(codes);
  }
  static __m256i Widen(__m128i codes, int8_t /*tag*/) {
    return _mm256_cvtepi8_epi32(codes);
  }
  template <typename Code>
  static Floats LoadSteps(const Code* from, Floats zero) {
    const __m128i codes =
        _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from));
    return Subtract(ToFloats(Widen(codes, Code())), zero);
  }
  template <typename Code>
  static Floats LoadSteps(const Code* from, int64_t count, Floats zero) {
    Code codes[kLanes] = {};
    if (count > 0) {
      std::memcpy(codes, from,
                  static_cast<size_t>(count >= kLanes ? kLanes : count));
    }
    return LoadSteps(codes, zero);
  }
  static Floats Steps(Bytes codes, int quarter, Floats zero) {
    // Negative indices give 0.
    const __m256i first =
        _mm256_setr_epi32(-256, -255, -254, -253, -256, -255, -254, -253);
    const __m256i indices =
        _mm256_add_epi32(first, _mm256_set1_epi32(4 * quarter));
    return Subtract(ToFloats(_mm256_shuffle_epi8(codes, indices)), zero);
  }

  static Floats ToFloats(Ints a) { return _mm256_cvtepi32_ps(a); }
  static Ints Round(Floats a) { return _mm256_cvtps_epi32(a); }
  static Floats Add(Floats a, Floats b) { return _mm256_add_ps(a, b); }
  static Floats Subtract(Floats a, Floats b) { return _mm256_sub_ps(a, b); }
  static Floats Multiply(Floats a, Floats b) { return _mm256_mul_ps(a, b); }
  static Floats MultiplyAdd(Floats a, Floats b, Floats c) {
    return _mm256_fmadd_ps(a, b, c);
  }
  static Floats Min(Floats a, Floats b) { return _mm256_min_ps(a, b); }
  static Floats Max(Floats a, Floats b) { return _mm256_max_ps(a, b); }
  static Ints Add(Ints a, Ints b) { return _mm256_add_epi32(a, b); }
  // Sums of bytes that together are those of all of `a`.
  static Ints SumBytes(Bytes a) {
    return _mm256_sad_epu8(a, _mm256_setzero_si256());
  }

  static Bytes MinCodes(Bytes a, Bytes b, uint8_t /*tag*/) {
    return _mm256_min_epu8(a, b);
  }
  static Bytes MaxCodes(Bytes a, Bytes b, uint8_t /*tag*/) {
    return _mm256_max_epu8(a, b);
  }
  static Bytes MinCodes(Bytes a, Bytes b, int8_t /*tag*/) {
    return _mm256_min_epi8(a, b);
  }
  static Bytes MaxCodes(Bytes a, Bytes b, int8_t /*tag*/) {
    return _mm256_max_epi8(a, b);
  }
  static Bytes AddSaturatedBytes(Bytes a, Bytes b) {
    return _mm256_adds_epi8(a, b);
  }
  static Bytes Xor(Bytes a, Bytes b) { return _mm256_xor_si256(a, b); }
  static Bytes SetTable(const uint8_t* from) {
    return _mm256_broadcastsi128_si256(
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
  }
  static Bytes Shuffle(Bytes table, Bytes indices) {
    return _mm256_shuffle_epi8(table, indices);
  }

  static Ints PackShorts(Ints a, Ints b) { return _mm256_packs_epi32(a, b); }
  static Ints AddSaturated(Ints a, Ints b) { return _mm256_adds_epi16(a, b); }
  static Bytes PackCodes(Ints a, Ints b, uint8_t /*tag*/) {
    return _mm256_packus_epi16(a, b);
  }
  static Bytes PackCodes(Ints a, Ints b, int8_t /*tag*/) {
    return _mm256_packs_epi16(a, b);
  }
  static Bytes Sort(Bytes a) {
    return _mm256_permutevar8x32_epi32(
        a, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
  }
};

}  // namespace
}  // namespace ns::kernels

#endif  // PASSES_KERNELS_ELEMENTWISE_SIMD_AVX2_H_
