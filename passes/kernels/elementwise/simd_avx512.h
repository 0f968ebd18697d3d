// Vectors of AVX512F, BW, DQ and VL for the loops of simd_kernels.h.
#ifndef PASSES_KERNELS_ELEMENTWISE_SIMD_AVX512_H_
#define PASSES_KERNELS_ELEMENTWISE_SIMD_AVX512_H_

#include <immintrin.h>

#include <cstdint>

namespace ns::kernels {
namespace {

struct Avx512 {
  // Of 32 bits, and of codes in a block: four vectors' worth.
  static constexpr int64_t kLanes = 16;
  static constexpr int64_t kBlock = 64;

  using Floats = __m512;
  using Ints = __m512i;
  using Bytes = __m512i;

  // The first `count` lanes, of any count.
  static __mmask16 Lanes(int64_t count) {
    return count >= 16  ? 0xFFFF
           : count <= 0 ? 0
                        : static_cast<__mmask16>((1u << count) - 1);
  }
  static __mmask64 ByteLanes(int64_t count) {
    return count >= 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1;
  }

  // `bytes` after `at`, which may be beyond the end: an integer, as no such
  // pointer may be made, and none is followed.
  static void PrefetchAhead(const float* at, int64_t bytes) {
    const uintptr_t ahead =
        reinterpret_cast<uintptr_t>(at) + static_cast<uintptr_t>(bytes);
    _mm_prefetch(reinterpret_cast<const char*>(ahead), _MM_HINT_T0);
  }

  static Floats SetFloats(float value) { return _mm512_set1_ps(value); }
  static Ints SetInts(int32_t value) { return _mm512_set1_epi32(value); }
  static Ints SetShorts(int32_t value) {
    return _mm512_set1_epi16(static_cast<int16_t>(value));
  }
  static Bytes SetBytes(int32_t value) {
    return _mm512_set1_epi8(static_cast<char>(value));
  }

  static Floats Load(const float* from) { return _mm512_loadu_ps(from); }
  static Floats Load(const float* from, int64_t count) {
    return _mm512_maskz_loadu_ps(Lanes(count), from);
  }
  static void Store(float* to, Floats a) { _mm512_storeu_ps(to, a); }
  static void Store(float* to, int64_t count, Floats a) {
    _mm512_mask_storeu_ps(to, Lanes(count), a);
  }
  static Ints Load(const int32_t* from) { return _mm512_loadu_si512(from); }
  static Ints Load(const int32_t* from, int64_t count) {
    return _mm512_maskz_loadu_epi32(Lanes(count), from);
  }
  static Bytes LoadBytes(const void* from) { return _mm512_loadu_si512(from); }
  static Bytes LoadBytes(const void* from, int64_t count) {
    return _mm512_maskz_loadu_epi8(ByteLanes(count), from);
  }
  static void StoreBytes(void* to, Bytes a) { _mm512_storeu_si512(to, a); }
  static void StoreBytes(void* to, int64_t count, Bytes a) {
    _mm512_mask_storeu_epi8(to, ByteLanes(count), a);
  }

  // kLanes codes less a zero point, as floats, exactly. Zero points come as
  // Zero gives them.
  //
  // An unsigned code is put into the last bits of a float that is 2^23: that
  // takes a shuffle and a difference, where a conversion takes three steps.
  static Floats Zero(int32_t zero_point, uint8_t /*tag*/) {
    return SetFloats(static_cast<float>(0x800000 + zero_point));
  }
  static Floats Zero(int32_t zero_point, int8_t /*tag*/) {
    return SetFloats(static_cast<float>(zero_point));
  }
  static Floats Steps(__m512i codes, __m512i indices, Floats zero) {
    __m512i sum = _mm512_set1_epi32(0x4B000000);
    const __mmask64 last_bytes = 0x1111111111111111;
    // Of the intrinsic, clang 14 makes two shuffles of half the width.
    asm("vpshufb %[indices], %[codes], %[sum] %{%[bytes]%}"
        : [sum] "+v"(sum)
        : [codes] "v"(codes), [indices] "v"(indices), [bytes] "Yk"(last_bytes));
    return _mm512_sub_ps(_mm512_castsi512_ps(sum), zero);
  }
  static Floats StepsOf(__m128i codes, Floats zero, uint8_t /*tag*/) {
    return Steps(
        _mm512_broadcast_i32x4(codes),
        _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0),
        zero);
  }
  static Floats StepsOf(__m128i codes, Floats zero, int8_t /*tag*/) {
    return _mm512_sub_ps(_mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(codes)), zero);
  }
  template <typename Code>
  static Floats LoadSteps(const Code* from, Floats zero) {
    return StepsOf(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)),
                   zero, Code());
  }
  template <typename Code>
  static Floats LoadSteps(const Code* from, int64_t count, Floats zero) {
    return StepsOf(_mm_maskz_loadu_epi8(Lanes(count), from), zero, Code());
  }
  // Of unsigned codes of a block, a quarter of each 16 bytes: the order in
  // which PackShorts and PackCodes make bytes of four vectors.
  static Floats Steps(Bytes codes, int quarter, Floats zero) {
    return Steps(codes, QuarterIndices(quarter), zero);
  }
  static __m512i QuarterIndices(int quarter) {
    return _mm512_broadcast_i32x4(
        _mm_add_epi32(_mm_setr_epi32(0, 1, 2, 3), _mm_set1_epi32(4 * quarter)));
  }

  static Floats ToFloats(Ints a) { return _mm512_cvtepi32_ps(a); }
  static Ints Round(Floats a) { return _mm512_cvtps_epi32(a); }
  static Floats Add(Floats a, Floats b) { return _mm512_add_ps(a, b); }
  static Floats Subtract(Floats a, Floats b) { return _mm512_sub_ps(a, b); }
  static Floats Multiply(Floats a, Floats b) { return _mm512_mul_ps(a, b); }
  static Floats MultiplyAdd(Floats a, Floats b, Floats c) {
    return _mm512_fmadd_ps(a, b, c);
  }
  // The second where one is a nan.
  static Floats Min(Floats a, Floats b) { return _mm512_min_ps(a, b); }
  static Floats Max(Floats a, Floats b) { return _mm512_max_ps(a, b); }
  static Ints Add(Ints a, Ints b) { return _mm512_add_epi32(a, b); }
  // Sums of bytes that together are those of all of `a`.
  static Ints SumBytes(Bytes a) {
    return _mm512_sad_epu8(a, _mm512_setzero_si512());
  }

  static Bytes MinCodes(Bytes a, Bytes b, uint8_t /*tag*/) {
    return _mm512_min_epu8(a, b);
  }
  static Bytes MaxCodes(Bytes a, Bytes b, uint8_t /*tag*/) {
    return _mm512_max_epu8(a, b);
  }
  static Bytes MinCodes(Bytes a, Bytes b, int8_t /*tag*/) {
    return _mm512_min_epi8(a, b);
  }
  static Bytes MaxCodes(Bytes a, Bytes b, int8_t /*tag*/) {
    return _mm512_max_epi8(a, b);
  }
  static Bytes AddSaturatedBytes(Bytes a, Bytes b) {
    return _mm512_adds_epi8(a, b);
  }
  static Bytes Xor(Bytes a, Bytes b) { return _mm512_xor_si512(a, b); }
  // 16 bytes everywhere.
  static Bytes SetTable(const uint8_t* from) {
    return _mm512_broadcast_i32x4(
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
  }
  // In each 16 bytes; 0 where the index is negative.
  static Bytes Shuffle(Bytes table, Bytes indices) {
    return _mm512_shuffle_epi8(table, indices);
  }

  // s32 to s16, saturated; s16 to codes, saturated. Of four vectors, that
  // leaves each 16 bytes with four codes of each vector; Sort puts all codes of
  // the first vector before those of the next.
  static Ints PackShorts(Ints a, Ints b) { return _mm512_packs_epi32(a, b); }
  static Ints AddSaturated(Ints a, Ints b) { return _mm512_adds_epi16(a, b); }
  static Bytes PackCodes(Ints a, Ints b, uint8_t /*tag*/) {
    return _mm512_packus_epi16(a, b);
  }
  static Bytes PackCodes(Ints a, Ints b, int8_t /*tag*/) {
    return _mm512_packs_epi16(a, b);
  }
  static Bytes Sort(Bytes a) {
    return _mm512_permutexvar_epi32(
        _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15),
        a);
  }
};

}  // namespace
}  // namespace ns::kernels

#endif  // PASSES_KERNELS_ELEMENTWISE_SIMD_AVX512_H_
