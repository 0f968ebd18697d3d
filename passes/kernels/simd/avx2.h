// Vectors of AVX2 and FMA, under the names that all kernels use.
//
// avx512.h has the same names for vectors that are twice as wide. So a kernel
// is written once, as a template over such a class.
//
// Include it only in sources of an isa_library (tools/bazel/isa_library.bzl),
// which are compiled for these instructions. All that is here is local to the
// source that includes it.
#ifndef PASSES_KERNELS_SIMD_AVX2_H_
#define PASSES_KERNELS_SIMD_AVX2_H_

#include <immintrin.h>

#include <cstdint>
#include <cstring>

namespace ns::kernels {
namespace {

// Avx512 (avx512.h) describes the operations; they are the same here.
struct Avx2 {
  static constexpr int kBytes = 32;
  static constexpr int kFloats = 8;
  static constexpr int kLanes = 2;
  static constexpr int kRegisters = 16;
  static constexpr bool kHasDot = false;

  using Floats = __m256;
  using Ints = __m256i;
  using Mask = __m256i;

  static Mask First(int64_t count) {
    const int64_t some = count >= kFloats ? kFloats : count < 0 ? 0 : count;
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int32_t>(some)),
                              _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  }

  static Ints Zero() { return _mm256_setzero_si256(); }
  static Floats SetFloats(float value) { return _mm256_set1_ps(value); }
  static Ints SetInts(int32_t value) { return _mm256_set1_epi32(value); }
  static Ints SetShorts(int32_t value) {
    return _mm256_set1_epi16(static_cast<int16_t>(value));
  }
  static Ints SetBytes(int32_t value) {
    return _mm256_set1_epi8(static_cast<char>(value));
  }
  static Ints SetLanes(const uint8_t* from) {
    return _mm256_broadcastsi128_si256(LoadLane(from));
  }

  static Floats Load(const float* from) { return _mm256_loadu_ps(from); }
  static Floats Load(const float* from, Mask mask) {
    return _mm256_maskload_ps(from, mask);
  }
  static Ints Load(const void* from) {
    return _mm256_loadu_si256(static_cast<const __m256i*>(from));
  }
  static Ints Load(const int32_t* from, Mask mask) {
    return _mm256_maskload_epi32(from, mask);
  }
  static Ints LoadAligned(const void* from) {
    return _mm256_load_si256(static_cast<const __m256i*>(from));
  }
  static Ints LoadBytes(const void* from, int64_t count) {
    uint8_t bytes[kBytes] = {};
    memcpy(bytes, from, FirstBytes(count));
    return Load(bytes);
  }
  static void Store(float* to, Floats a) { _mm256_storeu_ps(to, a); }
  static void Store(float* to, Mask mask, Floats a) {
    _mm256_maskstore_ps(to, mask, a);
  }
  static void Store(void* to, Ints a) {
    _mm256_storeu_si256(static_cast<__m256i*>(to), a);
  }
  static void Store(int32_t* to, Mask mask, Ints a) {
    _mm256_maskstore_epi32(to, mask, a);
  }
  static void StoreBytes(void* to, int64_t count, Ints a) {
    uint8_t bytes[kBytes];
    Store(bytes, a);
    memcpy(to, bytes, FirstBytes(count));
  }

  static Ints LoadLanes(const uint8_t* const (&from)[2]) {
    return _mm256_inserti128_si256(_mm256_castsi128_si256(LoadLane(from[0])),
                                   LoadLane(from[1]), 1);
  }
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

  static Ints WidenBytes(const uint8_t* from) {
    return _mm256_cvtepu8_epi32(LoadHalfLane(from));
  }
  static Ints WidenBytes(const int8_t* from) {
    return _mm256_cvtepi8_epi32(LoadHalfLane(from));
  }
  template <typename Byte>
  static Ints WidenBytes(const Byte* from, int64_t count) {
    if (count >= kFloats) {
      return WidenBytes(from);
    }
    Byte bytes[kFloats] = {};
    if (count > 0) {
      memcpy(bytes, from, static_cast<size_t>(count));
    }
    return WidenBytes(bytes);
  }
  static Ints WidenToShorts(const uint8_t* from) {
    return _mm256_cvtepu8_epi16(LoadLane(from));
  }

  template <typename Byte>
  static Floats ZeroPoint(int32_t zero_point, Byte /*tag*/) {
    return SetFloats(static_cast<float>(zero_point));
  }
  template <typename Byte>
  static Floats LoadSteps(const Byte* from, Floats zero_point) {
    return Subtract(ToFloats(WidenBytes(from)), zero_point);
  }
  template <typename Byte>
  static Floats LoadSteps(const Byte* from, int64_t count, Floats zero_point) {
    return Subtract(ToFloats(WidenBytes(from, count)), zero_point);
  }
  static Floats Steps(Ints bytes, int quarter, Floats zero_point) {
    // Negative indices give 0.
    const __m256i first =
        _mm256_setr_epi32(-256, -255, -254, -253, -256, -255, -254, -253);
    const __m256i indices =
        _mm256_add_epi32(first, _mm256_set1_epi32(4 * quarter));
    return Subtract(ToFloats(_mm256_shuffle_epi8(bytes, indices)), zero_point);
  }

  static Floats ToFloats(Ints a) { return _mm256_cvtepi32_ps(a); }
  static Ints Round(Floats a) { return _mm256_cvtps_epi32(a); }
  static Ints Bits(Floats a) { return _mm256_castps_si256(a); }
  static Floats Add(Floats a, Floats b) { return _mm256_add_ps(a, b); }
  static Floats Subtract(Floats a, Floats b) { return _mm256_sub_ps(a, b); }
  static Floats Multiply(Floats a, Floats b) { return _mm256_mul_ps(a, b); }
  static Floats MultiplyAdd(Floats a, Floats b, Floats c) {
    return _mm256_fmadd_ps(a, b, c);
  }
  static Floats Min(Floats a, Floats b) { return _mm256_min_ps(a, b); }
  static Floats Max(Floats a, Floats b) { return _mm256_max_ps(a, b); }
  static Floats Keep(Mask mask, Floats a) {
    return _mm256_and_ps(_mm256_castsi256_ps(mask), a);
  }

  struct FloatTable {
    __m256 low;
    __m256 high;
  };
  static FloatTable LoadTable(const float* from) {
    return {Load(from), Load(from + kFloats)};
  }
  static Floats LookUp(FloatTable table, Ints indices) {
    const Floats low = _mm256_permutevar8x32_ps(table.low, indices);
    const Floats high = _mm256_permutevar8x32_ps(table.high, indices);
    // Bit 3 says which half has the element.
    return _mm256_blendv_ps(
        low, high, _mm256_castsi256_ps(_mm256_slli_epi32(indices, 28)));
  }

  static Ints Add(Ints a, Ints b) { return _mm256_add_epi32(a, b); }
  static Ints Subtract(Ints a, Ints b) { return _mm256_sub_epi32(a, b); }
  static Ints Multiply(Ints a, Ints b) { return _mm256_mullo_epi32(a, b); }
  static uint64_t SumUnsigned(Ints a) {
    const __m256i longs =
        _mm256_add_epi64(_mm256_and_si256(a, _mm256_set1_epi64x(0xffffffff)),
                         _mm256_srli_epi64(a, 32));
    const __m128i two = _mm_add_epi64(_mm256_castsi256_si128(longs),
                                      _mm256_extracti128_si256(longs, 1));
    return static_cast<uint64_t>(
        _mm_cvtsi128_si64(_mm_add_epi64(two, _mm_unpackhi_epi64(two, two))));
  }

  static Ints AddShorts(Ints a, Ints b) { return _mm256_add_epi16(a, b); }
  static Ints AddSaturatedShorts(Ints a, Ints b) {
    return _mm256_adds_epi16(a, b);
  }
  static Ints AddSaturatedBytes(Ints a, Ints b) {
    return _mm256_adds_epi8(a, b);
  }
  static Ints SumPairProducts(Ints a, Ints b) {
    return _mm256_madd_epi16(a, b);
  }
  static Ints SumSaturatedPairProducts(Ints a, Ints b) {
    return _mm256_maddubs_epi16(a, b);
  }
  static Ints SumEightBytes(Ints a) { return _mm256_sad_epu8(a, Zero()); }

  static Ints And(Ints a, Ints b) { return _mm256_and_si256(a, b); }
  static Ints Xor(Ints a, Ints b) { return _mm256_xor_si256(a, b); }
  static Ints ShiftRightShorts(Ints a, int bits) {
    return _mm256_srli_epi16(a, bits);
  }
  static Ints ShiftRightSignedShorts(Ints a, int bits) {
    return _mm256_srai_epi16(a, bits);
  }
  static Ints ShiftLeftShorts(Ints a, int bits) {
    return _mm256_slli_epi16(a, bits);
  }
  static Ints ShiftRightInts(Ints a, int bits) {
    return _mm256_srli_epi32(a, bits);
  }

  static Ints MinBytes(Ints a, Ints b, uint8_t /*tag*/ = 0) {
    return _mm256_min_epu8(a, b);
  }
  static Ints MaxBytes(Ints a, Ints b, uint8_t /*tag*/ = 0) {
    return _mm256_max_epu8(a, b);
  }
  static Ints MinBytes(Ints a, Ints b, int8_t /*tag*/) {
    return _mm256_min_epi8(a, b);
  }
  static Ints MaxBytes(Ints a, Ints b, int8_t /*tag*/) {
    return _mm256_max_epi8(a, b);
  }
  static bool AnyByteAbove(Ints a, Ints b) {
    const Ints above = _mm256_subs_epu8(a, b);
    return _mm256_testz_si256(above, above) == 0;
  }

  static Ints PackInts(Ints a, Ints b) { return _mm256_packs_epi32(a, b); }
  static Ints PackShorts(Ints a, Ints b, uint8_t /*tag*/ = 0) {
    return _mm256_packus_epi16(a, b);
  }
  static Ints PackShorts(Ints a, Ints b, int8_t /*tag*/) {
    return _mm256_packs_epi16(a, b);
  }
  static Ints SortPacked(Ints a) {
    return _mm256_permutevar8x32_epi32(
        a, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
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
  static Ints ShuffleBytes(Ints table, Ints indices) {
    return _mm256_shuffle_epi8(table, indices);
  }

 private:
  // `count`, but no less than 0 and no more than a vector has bytes.
  static size_t FirstBytes(int64_t count) {
    return static_cast<size_t>(count >= kBytes ? kBytes
                               : count < 0     ? 0
                                               : count);
  }

  static __m128i LoadLane(const uint8_t* from) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  }
  static __m128i LoadHalfLane(const void* from) {
    return _mm_loadl_epi64(static_cast<const __m128i*>(from));
  }
};

}  // namespace
}  // namespace ns::kernels

#endif  // PASSES_KERNELS_SIMD_AVX2_H_
